"""Queries, paths, methods and headers that no call takes: refused by name, and nothing is written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.clients import Api, problem
from tests.conftest import Player
from tests.workforce.api.sending import POST, Unchanged, opened, posting, send

__all__ = ["opened"]
pytestmark = pytest.mark.usefixtures("opened")


@pytest.mark.parametrize(
    "value", ["0", "201", "-1", "1e3", "１", "", " 1", "1.0", "+1", "9" * 5000, "0x1", "null"]
)
@pytest.mark.parametrize(
    "path", ["/api/sessions", "/api/sessions/support.help/items", "/api/workers", "/api/inventory/seats"]
)
def test_limit__out_of_range(owner: Player, path: str, value: str) -> None:
    problem(_query(owner, path, limit=value), 400, "invalid-input", "limit", "1 to 200")


def test_limit__has_another_maximum_for_children(owner: Player) -> None:
    path = "/api/sessions/support.help/children"
    assert _query(owner, path, limit="100").status_code == 200
    problem(_query(owner, path, limit="101"), 400, "invalid-input", "1 to 100")


def _query(player: Player, path: str, **query: str) -> HttpResponse:
    return Client(raise_request_exception=False).get(path, query, headers=player.api.headers)


@pytest.mark.parametrize("name", ["after", "before"])
@pytest.mark.parametrize("value", ["-1", "1e3", "x", "", str(2**53 + 1), "9" * 25])
def test_number__out_of_range(owner: Player, name: str, value: str) -> None:
    problem(_query(owner, "/api/sessions/support.help/items", **{name: value}), 400, "invalid-input", name)


@pytest.mark.parametrize("cursor", ["", "x", "=", "é", "A" * 12, "A" * 5000, "../..", "AAAAAAAAAAAAW10"])
@pytest.mark.parametrize(
    "path",
    [
        "/api/sessions",
        "/api/sessions/support.help/items",
        "/api/sessions/support.help/requests",
        "/api/sessions/support.help/children",
        "/api/workers",
        "/api/inventory/members",
    ],
)
def test_cursor__that_is_damaged(owner: Player, path: str, cursor: str) -> None:
    problem(_query(owner, path, cursor=cursor), 400, "invalid-cursor")


def test_cursor__of_another_list_or_caller(owner: Player, stranger: Player) -> None:
    for address in ("a", "b", "c"):
        owner.api.post("/api/sessions", {"flowKind": "mailbox", "sessionId": address})
    cursor = _query(owner, "/api/sessions", limit="1").json()["nextCursor"]
    assert _query(owner, "/api/sessions", limit="1", cursor=cursor).status_code == 200
    problem(_query(owner, "/api/workers", cursor=cursor), 400, "invalid-cursor")
    problem(_query(owner, "/api/sessions/a/items", cursor=cursor), 400, "invalid-cursor")
    problem(_query(stranger, "/api/sessions", cursor=cursor), 400, "invalid-cursor")
    problem(_query(owner, "/api/sessions", cursor=cursor[:-1]), 400, "invalid-cursor")
    problem(_query(owner, "/api/sessions", cursor=cursor[:-1] + "_"), 400, "invalid-cursor")


@pytest.mark.parametrize(
    ("path", "query", "words"),
    [
        ("/api/sessions", "limt=1", "did you mean 'limit'"),
        ("/api/sessions/support.help/items", "type=message", "did you mean 'types'"),
        ("/api/flows", "limit=1", "limit"),
        ("/api/workers", "%FF=1", "unknown query parameter"),
        ("/api/sessions", "z" * 3000 + "=1", "unknown query parameter"),
        ("/api/sessions", "format=api", "format"),
        ("/api/schema", "lang=xx", "lang"),
    ],
)
def test_query__with_an_unknown_parameter(owner: Player, path: str, query: str, words: str) -> None:
    answer = owner.api.get(f"{path}?{query}")
    problem(answer, 400, "unknown-parameter", words)
    assert len(answer.content) < 1000


@pytest.mark.parametrize(
    "path",
    [
        "/api/sessions?limit=1&limit=2",
        "/api/sessions?limit=x&limit=1",
        "/api/flows?userId=ada&userId=ada",
        "/api/sessions/support.help/items?after=1&after=1",
    ],
)
def test_query__with_a_parameter_twice(owner: Player, path: str) -> None:
    problem(owner.api.get(path), 400, "invalid-input", "more than once")


def test_status__that_is_empty(owner: Player) -> None:
    problem(owner.api.get("/api/sessions/support.help/requests?status="), 400, "invalid-input", "status")


def test_query__with_too_many_parameters(owner: Player, nothing_written: Unchanged) -> None:
    with nothing_written():
        answer = send(owner, b"{}", path=POST + "?" + "&".join(["a=1"] * 2000))
    problem(answer, 400, "invalid-input")


@pytest.mark.parametrize(
    "query", ["include=runs", "include=", "include=dispatch-runs,x", "flowKind=" + "x" * 65, "q=" + "x" * 201]
)
def test_filter__of_a_wrong_value(owner: Player, query: str) -> None:
    problem(owner.api.get(f"/api/sessions?{query}"), 400, "invalid-input", query.split("=")[0])


@pytest.mark.parametrize("query", ["types=nonsense", "types=message,", "types=", "component=" + "x" * 65])
def test_item_filter__of_a_wrong_value(owner: Player, query: str) -> None:
    path = f"/api/sessions/support.help/items?{query}"
    problem(owner.api.get(path), 400, "invalid-input", query.split("=")[0])


@pytest.mark.parametrize(
    "query", ["q=%FF%FE", "q=%ED%A0%80", "q=%zz%", "userId=ada&q=%F0%9F%99%82", "q=100%25"]
)
def test_query__of_any_bytes_is_only_text(owner: Player, query: str) -> None:
    assert owner.api.get(f"/api/sessions?{query}").json()["items"] == []


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/api/sessions", "GET, POST, HEAD"),
        ("PUT", "/api/sessions/support.help", "GET, PATCH, DELETE, HEAD"),
        ("GET", POST, "POST"),
        ("OPTIONS", POST, "POST"),
        ("TRACE", "/api/flows", "GET, HEAD"),
        ("NONSENSE", "/api/workers", "GET, HEAD"),
        ("POST", "/api/inventory/seats", "GET, HEAD"),
    ],
)
@pytest.mark.parametrize("body", [b"", b"not json", b"[" * 20_000])
def test_method__that_is_not_answered(
    owner: Player, nothing_written: Unchanged, method: str, path: str, allowed: str, body: bytes
) -> None:
    with nothing_written():
        answer = send(owner, body, method=method, path=path)
    problem(answer, 405, "method-not-allowed", method)
    assert answer["Allow"] == allowed


@pytest.mark.parametrize(
    "path", ["/api/sessions/a%00b", "/api/sessions?q=%00", "/api/flows?%00", "/healthz?x=%00", "/api/%00/"]
)
def test_nul__in_path_or_query(owner: Player, nothing_written: Unchanged, path: str) -> None:
    with nothing_written():
        problem(owner.api.get(path), 400, "invalid-input", "NUL")


@pytest.mark.parametrize(
    "path",
    [
        "/api/sessions/" + "x" * 20_000,
        "/api/" + "y/" * 5_000,
        "/api/sessions/%FF",
        "/api/sessions/%zz",
        "/api/sessions/a%0A",
        "/api/sessions//",
        "/api/sessions/..%2f..%2fetc",
        "/api/requests/1",
        "/api/requests/00000000-0000-4000-8000-00000000000G",
        "/api/flows/mailbox/a b/actions/post",
        "/api/nonsense",
        "/api",
        "/api/",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_path__that_is_none(owner: Player, nothing_written: Unchanged, method: str, path: str) -> None:
    with nothing_written():
        problem(send(owner, b"{}", method=method, path=path), 404, "not-found")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/api/flows/" + "k" * 3000 + "/support.help/actions/post", "no-such-flow"),
        ("/api/flows/%FF/support.help/actions/post", "no-such-flow"),
        ("/api/flows/mailbox/support.help/actions/" + "a" * 3000, "no-such-action"),
        ("/api/flows/mailbox/support.help/actions/onPosted", "no-such-action"),
    ],
)
def test_name__that_is_unknown(owner: Player, nothing_written: Unchanged, path: str, code: str) -> None:
    with nothing_written():
        answer = send(owner, posting('"a"'), path=path)
    problem(answer, 404, code)
    assert len(answer.content) < 1000


@pytest.mark.parametrize("slash", ["", "/"])
@pytest.mark.parametrize("path", ["/api/flows", "/api/sessions", "/api/schema", "/healthz", "/readyz"])
def test_path__with_and_without_a_slash(owner: Player, path: str, slash: str) -> None:
    assert owner.api.get(path + slash).status_code == 200


@pytest.mark.parametrize("key", ["", "x" * 256, "tab\there"])
def test_idempotency_key__of_a_wrong_form(owner: Player, nothing_written: Unchanged, key: str) -> None:
    with nothing_written():
        answer = send(owner, posting('"a"'), Idempotency_Key=key)
    problem(answer, 400, "invalid-input", "Idempotency-Key")


@pytest.mark.parametrize(
    "prefer", ["wait=-1", "wait=9999999999999", "wait=１", "return=", ";;;,,==", "é", "x" * 5000]
)
def test_prefer__that_is_not_understood_is_passed_over(owner: Player, prefer: str) -> None:
    assert send(owner, posting('"a"'), Prefer=prefer).status_code == 202


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer ", "Basic YTpi", "Bearer é", "Bearer wfk_", "x" * 9000, "Bearer wfk_a_b c"],
)
def test_authorization__that_is_no_key(nothing_written: Unchanged, authorization: str) -> None:
    with nothing_written():
        answer = Api(Authorization=authorization).post(POST, {"input": {"body": "a"}})
    problem(answer, 401, "unauthenticated")
    assert answer["WWW-Authenticate"].startswith("Bearer")


def test_host__that_is_foreign(owner: Player) -> None:
    answer = Client(headers={**owner.api.headers, "Host": "evil.example"}).get("/api/flows")
    problem(answer, 400, "invalid-input")


@pytest.mark.parametrize("user", ["bob", "", " ", "x" * 5000, "a\nb"])
@pytest.mark.parametrize("place", ["body", "query"])
def test_user__that_is_not_the_caller(
    owner: Player, nothing_written: Unchanged, place: str, user: str
) -> None:
    with nothing_written():
        if place == "body":
            answer = owner.api.post(POST, {"input": {"body": "a"}, "userId": user})
        else:
            answer = _query(owner, "/api/flows", userId=user)
    problem(answer, 403, "user-mismatch")
    assert len(answer.content) < 1000


@pytest.mark.parametrize("user", ["", " ", "x" * 151, "a\nb", "\u202e"])
@pytest.mark.parametrize("place", ["body", "query"])
def test_user__that_open_mode_cannot_make(
    settings: Any, nothing_written: Unchanged, place: str, user: str
) -> None:
    settings.WORKFORCE_AUTH = "open"
    with nothing_written():
        if place == "body":
            answer = Api().post(POST, {"input": {"body": "a"}, "userId": user})
        else:
            answer = Client().get("/api/flows", {"userId": user})
    problem(answer, 400, "invalid-input", "userId")


def test_user__that_body_and_query_disagree_about(settings: Any, nothing_written: Unchanged) -> None:
    settings.WORKFORCE_AUTH = "open"
    with nothing_written():
        answer = Api().post(POST + "?userId=ann", {"input": {"body": "a"}, "userId": "ben"})
    problem(answer, 400, "invalid-input", "userId")


def test_answers__have_an_id_whatever_was_sent(owner: Player) -> None:
    assert send(owner, b"[", X_Request_Id="mine-1")["X-Request-Id"] == "mine-1"
    assert send(owner, b"[", X_Request_Id="<script>")["X-Request-Id"] != "<script>"
    assert json.loads(send(owner, b"[").content)["code"] == "invalid-json"
