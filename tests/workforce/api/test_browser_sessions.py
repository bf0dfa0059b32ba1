"""Calls with a browser session: CSRF is enforced, and the organization is one of the user's."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.clients import problem
from tests.conftest import Player
from tests.factories import make_organization
from workforce.models import Session
from workforce.services.organizations import ensure_membership

TOKEN = "a" * 32


@pytest.fixture
def browser(owner: Player) -> Client:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner.user)
    client.cookies["csrftoken"] = TOKEN
    return client


def test_session__reads_without_a_token(browser: Client, owner: Player) -> None:
    owner.api.post("/api/sessions", {"flowKind": "mailbox", "sessionId": "mine"})
    assert [row["id"] for row in browser.get("/api/sessions").json()["items"]] == ["mine"]


def test_session__writes_with_the_token_only(browser: Client, owner: Player) -> None:
    body = {"flowKind": "mailbox"}
    problem(browser.post("/api/sessions", body, content_type="application/json"), 403, "not-allowed")
    assert not Session.objects.exists()
    answer = browser.post(
        "/api/sessions", body, content_type="application/json", headers={"X-CSRFToken": TOKEN}
    )
    assert answer.status_code == 201
    assert answer.json()["userId"] == owner.user.username


def test_session__chooses_among_its_organizations(browser: Client, owner: Player) -> None:
    ensure_membership(user=owner.user, organization=make_organization("second"))
    make_organization("foreign")
    assert browser.get("/api/flows", headers={"X-Organization": "second"}).status_code == 200
    problem(browser.get("/api/flows", headers={"X-Organization": "foreign"}), 403, "not-allowed", "foreign")


def test_session__that_is_unknown_is_no_caller(db: None) -> None:
    client = Client()
    client.cookies["sessionid"] = "z" * 32
    problem(client.get("/api/flows"), 401, "unauthenticated")
