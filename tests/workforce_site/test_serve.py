"""What ``manage.py serve`` asks for before it says that it serves."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from tests.stories.server import ROOT
from workforce_site import env
from workforce_site.management.commands import serve


def test_serve__an_unmigrated_database_asks_for_migrate(tmp_path: Path) -> None:
    variables = {**os.environ, "DEBUG": "1", "DJANGO_SETTINGS_MODULE": "workforce_site.settings"}
    variables["DATABASE_URL"] = f"sqlite:///{tmp_path}/new.sqlite3"
    command = [sys.executable, "manage.py", "serve", "--bind", "127.0.0.1:0"]
    ran = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 1
    assert "manage.py migrate" in ran.stderr and "serving" not in ran.stderr and "Traceback" not in ran.stderr


@pytest.mark.django_db
def test_serve__a_taken_port_is_told_before_anything_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve.EmbeddedWorker, "start", lambda worker: pytest.fail("started"))
    monkeypatch.setattr(serve.connection, "close", lambda: None)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        bind = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(CommandError, match=f"{bind}: .*is the port taken"):
            call_command("serve", "--bind", bind)


def test_stop__waits_longer_than_a_write_for_its_lock(tmp_path: Path) -> None:
    patience = env.database(f"sqlite:///{tmp_path}/a.sqlite3", synchronous="FULL")["OPTIONS"]["timeout"]
    assert patience < serve.DRAIN_SECONDS


def test_check_migrated__a_database_that_is_away_may_come(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> bool:
        raise OperationalError("away")

    monkeypatch.setattr(serve, "is_migrated", away)
    monkeypatch.setattr(serve.connection, "close", lambda: None)
    serve._check_migrated()
