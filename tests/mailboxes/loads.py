"""Loading trees through the command, and looking at what that left in the database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from workforce.models import Organization, User
from workforce.services.organizations import ensure_organization, ensure_user


@dataclass(frozen=True)
class Run:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        report: dict[str, Any] = json.loads(self.out)
        return report


def run(*arguments: str | Path) -> Run:
    """A management command with its exit code, as the shell would see it."""
    out, err = StringIO(), StringIO()
    code = 0
    try:
        call_command(*map(str, arguments), stdout=out, stderr=err)
    except SystemExit as error:
        code = int(error.code or 0)
    except CommandError as error:
        code = error.returncode
        err.write(str(error))
    return Run(code, out.getvalue(), err.getvalue())


def load(root: Path, *options: str, code: int = 0) -> dict[str, Any]:
    """The report of one load, which must end with this exit code."""
    ran = run("load_workforce", root, "--format", "json", *options)
    assert ran.code == code, (ran.out, ran.err)
    return ran.report


def all_rows() -> dict[str, list[dict[str, Any]]]:
    """Every row of every table, with all columns."""
    return {
        model._meta.label: list(model._default_manager.order_by("pk").values()) for model in apps.get_models()
    }


@contextmanager
def nothing_written() -> Iterator[None]:
    """The block leaves every row of every table as it was."""
    before = all_rows()
    yield
    assert all_rows() == before


@pytest.fixture
def organization(db: None) -> Organization:
    return ensure_organization(slug="default")


@pytest.fixture
def user(db: None) -> User:
    return ensure_user(username="local")
