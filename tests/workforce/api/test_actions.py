"""How actions are answered, and the wall between users on every route."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from tests.clients import problem
from tests.conftest import Mailbox, Player
from workforce.api.prefer import Preferences, read_preferences
from workforce.dispatch.sweep import run_due
from workforce.models import Request

NEWS = "announcements"
SESSION, REQUEST = "team.news", "{request}"

#: Every route that names a session or a request: method, path, body.
OWNED = [
    ("GET", "/api/sessions/{session}", None),
    ("PATCH", "/api/sessions/{session}", {"title": "x"}),
    ("DELETE", "/api/sessions/{session}", None),
    ("GET", "/api/sessions/{session}/items", None),
    ("GET", "/api/sessions/{session}/requests", None),
    ("GET", "/api/sessions/{session}/children", None),
    ("GET", "/api/requests/{request}", None),
    ("POST", "/api/requests/{request}/abort", None),
    ("POST", "/api/requests/{request}/retry", None),
]
ACTION = "/api/flows/announcements/{session}/actions/later"


@pytest.mark.parametrize(("method", "path", "body"), OWNED)
@pytest.mark.parametrize("who", ["stranger", "outsider"])
def test_wall__anothers_is_answered_like_what_is_not_there(
    owner: Player,
    mailbox: Mailbox,
    nothing_written: Any,
    request: pytest.FixtureRequest,
    who: str,
    method: str,
    path: str,
    body: Any,
) -> None:
    player = request.getfixturevalue(who)
    mailbox(SESSION, kind=NEWS, title="Secret.")
    uid = owner.api.act(SESSION, "boom", kind=NEWS).json()["request"]["id"]
    unknown = {"session": "no.such", "request": str(uuid.uuid4())}
    with nothing_written():
        real = player.api.call(method, path.format(session=SESSION, request=uid), body)
        none = player.api.call(method, path.format(**unknown), body)
    for name, known in (("session", SESSION), ("request", uid)):
        assert (
            real.content.decode().replace(known, unknown[name]) == none.content.decode() or known not in path
        )
    assert (real.status_code, none.status_code) == (404, 404)
    renamed = real.content.replace(SESSION.encode(), b"no.such").replace(
        uid.encode(), unknown["request"].encode()
    )
    assert renamed == none.content
    problem(real, 404, "session-not-found" if "{session}" in path else "not-found")


def test_wall__every_route_of_a_session_or_request_is_in_the_table(db: None) -> None:
    def routes(patterns: list[Any], prefix: str = "/") -> list[str]:
        found = []
        for entry in patterns:
            if isinstance(entry, URLResolver):
                found += routes(entry.url_patterns, prefix + str(entry.pattern))
            elif isinstance(entry, URLPattern):
                found.append(prefix + str(entry.pattern))
        return found

    ours = {
        route.replace("<session:session>", "{session}").replace("<uuid:uid>", "{request}")
        for route in routes(get_resolver().url_patterns)
        if "<session:session>" in route or "<uuid:uid>" in route
    }
    streams_and_actions = {
        "/api/sessions/{session}/stream",
        "/api/flows/<str:kind>/{session}/actions/<str:action>",
    }
    assert ours == {path for _, path, _ in OWNED} | streams_and_actions


def test_wall__an_action_in_anothers_session(
    owner: Player, stranger: Player, mailbox: Mailbox, nothing_written: Any
) -> None:
    mailbox(SESSION, kind=NEWS)
    with nothing_written():
        named = stranger.api.post(ACTION.format(session=SESSION))
        in_body = stranger.api.post("/api/flows/announcements/actions/later", {"sessionId": SESSION})
        unknown = stranger.api.get("/api/sessions/no.such")
    for answer in (named, in_body):
        problem(answer, 404, "session-not-found")
        assert answer.content.replace(SESSION.encode(), b"no.such") == unknown.content


def test_answer__a_background_action(owner: Player, mailbox: Mailbox) -> None:
    mailbox(SESSION, kind=NEWS)
    answer = owner.api.act(SESSION, "later", kind=NEWS)
    assert (answer.status_code, answer.json()["status"]) == (202, "pending")
    assert "output" not in answer.json()
    assert "Preference-Applied" not in answer
    shown = owner.api.get(answer["Location"]).json()
    assert (shown["status"], shown["output"], shown["startedAt"]) == ("pending", None, None)
    run_due()
    shown = owner.api.get(answer["Location"]).json()
    assert (shown["status"], shown["output"]) == ("completed", {"ran": 1})


def test_answer__with_the_output(owner: Player, mailbox: Mailbox) -> None:
    mailbox()
    answer = owner.api.act("support.help", "post", {"body": "é\u2028\U0001f600"})
    assert (answer.status_code, answer["Preference-Applied"]) == (200, "return=representation")
    assert answer.json()["output"]["body"] == "é\u2028\U0001f600"
    assert list(answer.json()) == ["status", "request", "session", "output"]
    waited = owner.api.act("support.help", "read", Prefer="wait=5")
    assert (waited.status_code, waited["Preference-Applied"]) == (200, "wait=5")
    assert len(waited.json()["output"]["transcript"]) == 1
    plain = owner.api.act("support.help", "read", Prefer="respond-async")
    assert (plain.status_code, "output" in plain.json()) == (202, False)


def test_answer__both_spellings_of_a_path(owner: Player, mailbox: Mailbox) -> None:
    mailbox()
    for path in (
        "/api/flows/mailbox/support.help/actions/read",
        "/api/sessions",
        "/api/flows/mailbox/actions/read",
    ):
        for spelled in (path, f"{path}/"):
            method = "GET" if path.endswith("sessions") else "POST"
            body = {"sessionId": "support.help"} if path.endswith("mailbox/actions/read") else None
            assert owner.api.call(method, spelled, body).status_code in (200, 202)


def test_answer__an_empty_body_is_an_empty_input(owner: Player, mailbox: Mailbox) -> None:
    mailbox()
    path = "/api/flows/mailbox/support.help/actions/read"
    for body in (None, {}, {"input": {}}):
        assert owner.api.post(path, body).status_code == 202
    assert [request.input for request in Request.objects.all()] == [{}] * 3


@pytest.mark.parametrize("body", [[], [1], "x", 5, True])
def test_answer__a_body_that_is_no_object(
    owner: Player, mailbox: Mailbox, nothing_written: Any, body: Any
) -> None:
    mailbox()
    with nothing_written():
        answer = owner.api.post("/api/flows/mailbox/support.help/actions/read", body)
        problem(answer, 400, "invalid-input", "object")


@pytest.mark.parametrize("address", ["a" * 201, "", "a b", "a/b", "é", "a\n", "a:b"])
def test_answer__an_id_out_of_form(owner: Player, nothing_written: Any, address: str) -> None:
    with nothing_written():
        answer = owner.api.post("/api/flows/mailbox/actions/read", {"sessionId": address})
        assert problem(answer, 400, "invalid-input")["errors"][0]["path"] == "sessionId"


@pytest.mark.parametrize("address", ["a" * 200, ".", "~", "..", "A.b_c~d-e"])
def test_answer__every_id_in_form(owner: Player, mailbox: Mailbox, address: str) -> None:
    mailbox(address)
    answer = owner.api.post("/api/flows/mailbox/actions/read", {"sessionId": address})
    assert answer.json()["session"] == {"id": address}


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", Preferences()),
        ("return=representation", Preferences(representation=True)),
        ("return=minimal", Preferences()),
        ("RETURN=Representation , Wait=5", Preferences(representation=True, wait=5)),
        ('wait="7"', Preferences(wait=7)),
        ("wait=61", Preferences(wait=60)),
        ("wait=999999999999", Preferences()),
        ("wait=-1, wait=x, wait=²", Preferences()),
        ("wait=3; foo=bar, handling=strict", Preferences(wait=3)),
        (";;,,=,", Preferences()),
    ],
)
def test_prefer__what_is_understood(header: str, expected: Preferences) -> None:
    assert read_preferences(header) == expected
