"""Open mode takes anybody's word, so it listens to this machine only, and to no page of another site."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.conftest import Mailbox
from workforce.models import Item, User

pytestmark = pytest.mark.django_db

POST = "/api/flows/mailbox/support.help/actions/post"
BODY = {"input": {"body": "hello"}, "userId": "ada"}


@pytest.fixture
def open_mode(settings: Any) -> Client:
    settings.WORKFORCE_AUTH = "open"
    return Client(HTTP_HOST="localhost")


@pytest.mark.parametrize(
    "headers",
    [
        {"HTTP_SEC_FETCH_SITE": "cross-site"},
        {"HTTP_SEC_FETCH_SITE": "same-site"},
        {"HTTP_ORIGIN": "http://evil.example"},
        {"HTTP_ORIGIN": "null"},
        {"HTTP_ORIGIN": "http://localhost:9999"},
        {"REMOTE_ADDR": "10.0.0.7"},
    ],
)
def test_open__refuses_other_sites_and_machines(
    open_mode: Client, mailbox: Mailbox, headers: dict[str, Any]
) -> None:
    mailbox()
    users = User.objects.count()
    for answer in (
        open_mode.post(POST, BODY, content_type="application/json", **headers),
        open_mode.get("/api/sessions?userId=newcomer", **headers),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "not-allowed")
    assert Item.objects.count() == 0
    assert User.objects.count() == users


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"HTTP_SEC_FETCH_SITE": "same-origin", "HTTP_ORIGIN": "http://localhost"},
        {"HTTP_SEC_FETCH_SITE": "none"},
    ],
)
def test_open__answers_this_machine_and_its_own_pages(open_mode: Client, headers: dict[str, Any]) -> None:
    assert open_mode.get("/api/sessions", **headers).status_code == 200


def test_host__that_is_not_served_is_said(open_mode: Client) -> None:
    answer = open_mode.get("/api/flows", HTTP_HOST="evil.example")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid-input")
    assert "ALLOWED_HOSTS" in answer.json()["detail"]


@pytest.mark.parametrize("cookie", ["\x00" * 8 + "aa", "x" * 500, "é", ""])
def test_cookie__that_cannot_be_one_is_none(client: Client, db: None, cookie: str) -> None:
    client.cookies["sessionid"] = cookie
    assert client.get("/api/sessions", HTTP_HOST="localhost").status_code == 401
