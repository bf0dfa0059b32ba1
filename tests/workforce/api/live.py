"""A real server on the database of the test run, and what its waits and streams are about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import quote

import pytest
from django.conf import settings
from django.db import connection

from tests.conftest import Player
from tests.stories.server import Follower, Server

Follow = Callable[..., Follower]


def _database_url() -> str:
    values = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{values['NAME']}"
    user, password = quote(values["USER"], safe=""), quote(values["PASSWORD"], safe="")
    return f"postgres://{user}:{password}@{values['HOST']}:{values['PORT'] or 5432}/{values['NAME']}"


@pytest.fixture(scope="module")
def server(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server process on the test database; tests must commit what it is to see."""
    variables = {"settings": "tests.settings", "database_url": _database_url(), "LOG_LEVEL": "ERROR"}
    folder = tmp_path_factory.mktemp("live")
    with Server(folder, SECRET_KEY=settings.SECRET_KEY, **variables) as running:  # type: ignore[arg-type]
        yield running


@pytest.fixture
def follow(server: Server) -> Iterator[Follow]:
    """Follows a session as one of the cast: ``follow(owner, "support.help", after=5)``."""
    with ExitStack() as open_streams:

        def start(player: Player, address: str, query: str = "", **headers: Any) -> Follower:
            named = {name.replace("_", "-"): str(value) for name, value in headers.items()}
            path = f"/api/sessions/{address}/stream{query}"
            follower = Follower(server, path, **{"Authorization": f"Bearer {player.key}", **named})
            open_streams.callback(follower.close)
            return follower

        yield start
