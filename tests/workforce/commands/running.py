"""Running a management command as the shell does."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.workforce.refusing import identity_rows


@dataclass(frozen=True)
class Printed:
    """What a command wrote where."""

    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        return json.loads(self.stdout)


def run(*words: str) -> Printed:
    """Run ``manage.py <words>`` and return what it printed."""
    stdout, stderr = io.StringIO(), io.StringIO()
    call_command(words[0], *words[1:], stdout=stdout, stderr=stderr)
    return Printed(stdout.getvalue(), stderr.getvalue())


@contextmanager
def refused(code: str, *words: str) -> Iterator[None]:
    """The command in the block ends with ``code: …`` and exit code 1, and leaves every row as it was."""
    before = identity_rows()
    with pytest.raises(CommandError) as caught:
        yield
    assert identity_rows() == before
    assert str(caught.value).startswith(f"{code}: ")
    assert caught.value.returncode == 1
    for word in words:
        assert word in str(caught.value)
