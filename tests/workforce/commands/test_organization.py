"""``manage.py organization``."""

from __future__ import annotations

import pytest
from django.core.management import CommandError
from django.db import OperationalError

from tests.factories import make_organization
from tests.workforce.commands.running import refused, run
from workforce.clock import to_ms
from workforce.models import Organization

pytestmark = pytest.mark.django_db


def test_organization_create__prints_the_slug() -> None:
    printed = run("organization", "create", "acme", "--name", "Acme Inc.")
    assert (printed.stdout, printed.stderr) == ("acme\n", "")
    assert Organization.objects.get().name == "Acme Inc."


def test_organization_create__json() -> None:
    answer = run("organization", "create", "acme", "--format", "json").json
    made = Organization.objects.get()
    assert answer == {"slug": "acme", "name": "acme", "createdAt": to_ms(made.created_at)}


def test_organization_create__refused() -> None:
    make_organization("acme")
    with refused("organization-taken", "'acme'"):
        run("organization", "create", "acme")
    with refused("invalid-input", "slug", "rule for names"):
        run("organization", "create", "Acme")


def test_organization_list__text_and_json() -> None:
    assert run("organization", "list").stdout == ""
    make_organization("zeta")
    make_organization("acme", name="Two\nlines")
    assert run("organization", "list").stdout == "acme  Two\\nlines\nzeta  zeta\n"
    items = run("organization", "--format", "json", "list").json["items"]
    assert [item["slug"] for item in items] == ["acme", "zeta"]
    assert items[0]["name"] == "Two\nlines"


@pytest.mark.parametrize("words", [[], ["create"], ["make", "acme"], ["list", "--format", "yaml"]])
def test_organization__a_wrong_command_line(words: list[str]) -> None:
    with pytest.raises(CommandError):
        run("organization", *words)
    assert not Organization.objects.exists()


def test_organization__a_database_that_was_not_migrated(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(**_: object) -> None:
        raise OperationalError("no such table: workforce_organization")

    monkeypatch.setattr(Organization.objects, "create", missing)
    with refused("unavailable", "no such table", "manage.py migrate"):
        run("organization", "create", "acme")
