# Needed on the machine: Python 3.11 with venv, and make. Everything else is installed into .venv.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
BIND ?= 127.0.0.1:8000
TEST_DATABASE_URL ?= postgres://postgres@127.0.0.1:5432/postgres
PYTEST_ARGS ?=
APPS := workforce_site workforce boards messaging mailboxes

# A development machine; set DEBUG=0 and what docs/server.md asks for to deploy.
run: export DEBUG ?= 1

.PHONY: setup run test test-postgres check lint format bench lock snapshot clean

setup: $(VENV)/run.stamp  ## Make the virtual environment with the locked requirements.

$(VENV)/run.stamp: requirements/run.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; found $$($(PYTHON) --version). Set PYTHON=/path/to/python3.11"; exit 1; }
	@echo "setting up $(VENV) (about a minute, once)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/run.txt
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt $(VENV)/run.stamp
	@echo "adding what the tests need (about a minute, once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

$(VENV)/bench.stamp: requirements/bench.txt $(VENV)/dev.stamp
	@echo "adding what the measurements are taken against (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bench.txt
	@touch $@

run: setup  ## Set up, migrate, load the sample tree, serve web and worker.
	@$(BIN)/python manage.py migrate --verbosity 0
	@$(BIN)/python manage.py load_workforce
	@$(BIN)/python manage.py first_run --bind $(BIND)
	@$(BIN)/python manage.py serve --bind $(BIND)

test: $(VENV)/dev.stamp  ## The suite on SQLite.
	@echo "running the suite on SQLite ('make check' runs it on PostgreSQL too)"
	@env -u TEST_DATABASE_URL $(BIN)/python -m pytest -n 2 --dist loadfile $(PYTEST_ARGS)

test-postgres: $(VENV)/dev.stamp  ## The suite on PostgreSQL, races included; stories and browser run on SQLite.
	@echo "running the suite on $(TEST_DATABASE_URL)"
	@$(BIN)/python -c "import psycopg; psycopg.connect('$(TEST_DATABASE_URL)'.replace('postgres://', 'postgresql://'), connect_timeout=5)" || \
		{ echo "no PostgreSQL at TEST_DATABASE_URL=$(TEST_DATABASE_URL); start one or set the variable"; exit 1; }
	@TEST_DATABASE_URL=$(TEST_DATABASE_URL) $(BIN)/python -m pytest -n 2 --dist loadfile \
		-m "not story and not browser" $(PYTEST_ARGS)

lint: export DEBUG = 1
lint: $(VENV)/dev.stamp  ## Format, lint, types, import contracts, migrations, system checks.
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy $(APPS)
	$(BIN)/lint-imports --no-logo
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python manage.py check
	SECRET_KEY=$$(head -c 40 /dev/urandom | base64) DEBUG=0 $(BIN)/python manage.py check --deploy --fail-level ERROR

check: lint test test-postgres  ## Everything that must be green before a commit lands.

format: $(VENV)/dev.stamp
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/bench.stamp  ## Measure side by side with baselines (about ten minutes).
	$(BIN)/python -m benchmarks.posting
	$(BIN)/python -m benchmarks.reading
	$(BIN)/python -m benchmarks.load_tree
	$(BIN)/python -m benchmarks.fan_out
	$(BIN)/python -m benchmarks.routing
	$(BIN)/python -m benchmarks.claiming
	$(BIN)/python -m benchmarks.finishing
	$(BIN)/python -m benchmarks.looking
	$(BIN)/python -m benchmarks.messages

lock: $(VENV)/dev.stamp  ## Lock the requirements anew from pyproject.toml.
	$(BIN)/uv pip compile -q pyproject.toml --extra agents --extra offline --generate-hashes --no-emit-index-url --no-header \
		--python-version 3.11 -o requirements/run.txt
	$(BIN)/uv pip compile -q pyproject.toml --extra agents --extra offline --extra postgres \
		--extra redis --extra dev -c requirements/run.txt \
		--generate-hashes --no-emit-index-url --no-header --python-version 3.11 -o requirements/dev.txt
	$(BIN)/uv pip compile -q pyproject.toml --extra postgres --extra bench -c requirements/dev.txt \
		--generate-hashes --no-emit-index-url --no-header --python-version 3.11 -o requirements/bench.txt

snapshot: $(VENV)/dev.stamp  ## Write the OpenAPI snapshot anew.
	UPDATE_SNAPSHOTS=1 $(BIN)/python -m pytest -q tests/workforce/api/test_schema.py

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
