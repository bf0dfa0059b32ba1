"""What the front door keeps out of logs and metrics, and what holds for every path."""

from __future__ import annotations

import logging
import threading
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client

from tests.clients import problem
from tests.conftest import Mailbox, Player
from tests.racing import ON_POSTGRESQL
from workforce.api import sessions
from workforce.models import Request, Session
from workforce.services import running
from workforce_site.middleware import _METHODS, _without_keys


def test_path__in_a_log_holds_no_key() -> None:
    key = "wfk_0123456789ab_" + "s" * 43
    assert _without_keys(f"/api/sessions/{key}/items") == "/api/sessions/wfk_…/items"
    assert key not in _without_keys("/" + "x" * 290 + key)


def test_methods__that_are_measured_are_a_closed_set() -> None:
    assert {"GET", "POST", "PATCH", "DELETE"} <= _METHODS and len(_METHODS) < 10


@pytest.mark.parametrize("path", ["//api/flows", "///api/flows/", "//api", "//metrics"])
def test_path__with_slashes_too_many_is_a_problem(path: str) -> None:
    problem(Client().get("/", PATH_INFO=path), 404, "not-found")


def test_unavailable__is_logged_once(
    owner: Player, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def away(*_: Any, **__: Any) -> None:
        raise OperationalError("away")

    monkeypatch.setattr(sessions, "own_sessions", away)
    with caplog.at_level(logging.WARNING):
        problem(owner.api.get("/api/sessions"), 503, "unavailable")
    assert len(caplog.records) == 1, caplog.text
    assert "database_unavailable" in caplog.text


def test_metrics__without_a_token_on_the_server_says_so(db: None, settings: Any) -> None:
    settings.METRICS_TOKEN = ""
    problem(Client().get("/metrics"), 401, "unauthenticated", "has no METRICS_TOKEN")
    settings.METRICS_TOKEN = "token"
    problem(Client().get("/metrics"), 401, "unauthenticated", "send the metrics token")
    assert Client().get("/metrics", headers={"Authorization": "Bearer token"}).status_code == 200


class TestAtOnce:
    pytestmark = ON_POSTGRESQL

    def test_read__of_a_session_that_is_deleted_meanwhile_is_404(
        self, owner: Player, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        box, make = mailbox("support.help"), running._new_request

        def delete_elsewhere() -> None:
            Session.objects.filter(pk=box.pk).delete()
            connection.close()

        def delete_first(*parts: Any) -> Request:
            other = threading.Thread(target=delete_elsewhere)
            other.start()
            other.join()
            return make(*parts)

        monkeypatch.setattr(running, "_new_request", delete_first)
        problem(owner.api.act("support.help", "read"), 404, "session-not-found", "support.help")
        assert not Request.objects.exists()
