"""Requests over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from tests.clients import problem
from tests.conftest import Mailbox, Player
from workforce.dispatch.sweep import run_due
from workforce.models import Request

NEWS = "announcements"
PATH = "/api/sessions/team.news/requests"


@pytest.fixture
def news(owner: Player, mailbox: Mailbox) -> None:
    """A session with one request of each sort of ending, oldest first."""
    mailbox("team.news", kind=NEWS)
    owner.api.act("team.news", "announce", {"text": "x"}, kind=NEWS)
    for action in ("boom", "later", "laterBoom", "laterDefect"):
        owner.api.act("team.news", action, kind=NEWS)
    run_due()
    uid = owner.api.act("team.news", "later", kind=NEWS).json()["request"]["id"]
    owner.api.post(f"/api/requests/{uid}/abort")
    owner.api.act("team.news", "later", kind=NEWS)


def listed(player: Player, query: str = "") -> list[tuple[str, str]]:
    answer = player.api.get(f"{PATH}{query}")
    assert answer.status_code == 200, answer.content
    return [(entry["action"], entry["status"]) for entry in answer.json()["items"]]


def test_list__newest_first(owner: Player, news: None) -> None:
    assert listed(owner) == [
        ("later", "pending"),
        ("later", "aborted"),
        ("laterDefect", "failed"),
        ("laterBoom", "failed"),
        ("later", "completed"),
        ("boom", "failed"),
        ("announce", "completed"),
    ]


def test_list__by_status(owner: Player, news: None) -> None:
    assert listed(owner, "?status=aborted") == [("later", "aborted")]
    assert listed(owner, "?status=in_progress") == []
    failed = owner.api.get(f"{PATH}?status=failed").json()["items"]
    assert [entry["error"]["code"] for entry in failed] == [
        "internal-error",
        "announcements-not-open",
        "announcements-not-open",
    ]
    assert all(set(entry["error"]) == {"code", "message"} for entry in failed)


def test_list__pages(owner: Player, news: None) -> None:
    seen: list[str] = []
    cursor = ""
    while True:
        body = owner.api.get(f"{PATH}?limit=3{cursor}").json()
        seen += [entry["id"] for entry in body["items"]]
        owner.api.act("team.news", "later", kind=NEWS)  # arrivals move nothing
        if "nextCursor" not in body:
            break
        cursor = f"&cursor={body['nextCursor']}"
    assert len(seen) == len(set(seen)) == 7
    assert seen == [str(uid) for uid in Request.objects.order_by("-id").values_list("uid", flat=True)][-7:]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("status=done", "invalid-input"),
        ("status=failed,aborted", "invalid-input"),
        ("limit=0", "invalid-input"),
        ("limit=201", "invalid-input"),
        ("cursor=x", "invalid-cursor"),
        ("action=post", "unknown-parameter"),
    ],
)
def test_list__bad_queries(owner: Player, news: None, query: str, code: str) -> None:
    problem(owner.api.get(f"{PATH}?{query}"), 400, code, query.partition("=")[0])


def test_show__a_failed_one(owner: Player, news: None) -> None:
    failed = owner.api.get(f"{PATH}?status=failed").json()["items"][0]
    shown = owner.api.get(f"/api/requests/{failed['id']}").json()
    assert shown["error"] == failed["error"]
    assert (shown["output"], shown["attempts"]) == (None, 1)
    assert shown["endedAt"] >= shown["startedAt"] >= shown["createdAt"]


def test_show__an_internal_one_of_ones_own_session(owner: Player, mailbox: Mailbox) -> None:
    mailbox(members=["support.lead"])
    owner.api.line("support.help")
    run_due()
    fan_out, post = owner.api.get("/api/sessions/support.help/requests").json()["items"]
    assert (fan_out["action"], fan_out["source"]) == ("onPosted", "dispatch")
    assert (fan_out["parentId"], fan_out["chainId"]) == (post["id"], post["id"])
    shown = owner.api.get(f"/api/requests/{fan_out['id']}").json()
    assert [entry["delivered"] for entry in shown["output"]] == [False]
    assert "no seat" in shown["output"][0]["reason"]


@pytest.mark.parametrize("uid", ["x", "1", "00000000-0000-0000-0000-00000000000g"])
def test_show__an_id_that_is_none(owner: Player, uid: str) -> None:
    problem(owner.api.get(f"/api/requests/{uid}"), 404, "not-found")


def test_show__needs_the_reading_grant(owner: Player, news: None) -> None:
    key = owner.actor.keys.get()
    key.grants = ["flows:write", "inbox:read", "boards:read"]
    key.save()
    uid: Any = Request.objects.latest("id").uid
    for path in (PATH, f"/api/requests/{uid}", "/api/sessions", "/api/flows", "/api/workers"):
        problem(owner.api.get(path), 403, "not-granted", "flows:read")
