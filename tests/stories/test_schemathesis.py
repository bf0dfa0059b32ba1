"""Calls drawn from the document against a live server: no 500, and no answer outside of the document."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stories.seeding import BOARD, FAILED, ROW, SCRIPT
from tests.stories.server import Server, open_server

pytestmark = pytest.mark.story

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
    "allow_header_conformance",
)
#: A stream stays open for minutes; its own tests follow it.
LEFT_OUT = "followSession"
#: Calls that meet what is there: without them nearly every id is unknown.
KNOWN = f"""
[parameters]
"path.session" = "desk.inbox"
"path.uid" = "{FAILED}"
"path.board" = "{BOARD}"
"path.task" = "{ROW}"
"query.userId" = "local"
"query.wait" = 0
"header.Prefer" = "return=representation"
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with open_server(tmp_path_factory.mktemp("schemathesis")) as running:
        running.manage("shell", "-v0", "-c", SCRIPT)
        yield running


@pytest.mark.parametrize(
    ("known", "phase"), [("", "coverage"), (KNOWN, "fuzzing")], ids=["any ids", "known ids"]
)
def test_schemathesis__finds_nothing(server: Server, tmp_path: Path, known: str, phase: str) -> None:
    config = tmp_path / "schemathesis.toml"
    config.write_text(known)
    command = [
        sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), "--no-color",
        "run", f"{server.url}/api/schema",
        "--seed", "7", "--max-examples", "3",
        "--phases", phase, "--checks", ",".join(CHECKS),
        "--exclude-operation-id", LEFT_OUT,
        "--continue-on-failure", "--warnings", "off", "--suppress-health-check", "all",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert " generated" in done.stdout
    assert "] defect" not in server.log.read_text()
