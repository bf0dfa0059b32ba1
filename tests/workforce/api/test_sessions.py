"""Sessions over HTTP."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.clients import problem
from tests.conftest import Mailbox, Player
from workforce import clock
from workforce.models import Request, Session


def listed(player: Player, query: str = "") -> list[str]:
    answer = player.api.get(f"/api/sessions{query}")
    assert answer.status_code == 200, answer.content
    return [entry["id"] for entry in answer.json()["items"]]


def test_show__a_session(owner: Player, mailbox: Mailbox) -> None:
    session = mailbox("my.id", title="T", tags=["a"], metadata={"b": 1, "a": "\x00"})
    owner.api.line("my.id")
    session.refresh_from_db()
    assert owner.api.get("/api/sessions/my.id").json() == {
        "id": "my.id",
        "flowKind": "mailbox",
        "userId": "ada",
        "parentId": None,
        "seatId": None,
        "title": "T",
        "description": "",
        "tags": ["a"],
        "metadata": {"b": 1, "a": "\x00"},
        "state": {},
        "lastSeq": 1,
        "createdAt": clock.to_ms(session.created_at),
        "updatedAt": clock.to_ms(session.updated_at),
    }


def test_make__and_show(owner: Player) -> None:
    made = owner.api.post("/api/sessions", {"flowKind": "announcements", "title": "T", "tags": ["x"]})
    assert made.status_code == 201
    assert owner.api.get(made["Location"]).json() == made.json()
    assert made.json()["title"] == "T"


@pytest.mark.parametrize(
    ("body", "status", "code", "word"),
    [
        ({}, 400, "invalid-input", "flowKind"),
        ({"flowKind": "mailbux"}, 404, "no-such-flow", "mailbox"),
        ({"flowKind": "mailbox", "sessionId": "taken"}, 409, "session-taken", "taken"),
        ({"flowKind": "mailbox", "sessionId": "a b"}, 400, "invalid-input", "sessionId"),
        ({"flowKind": "mailbox", "title": "x" * 201}, 400, "invalid-input", "title"),
        ({"flowKind": "mailbox", "title": "\x00"}, 400, "invalid-input", "NUL"),
        ({"flowKind": "mailbox", "tags": ["x"] * 51}, 400, "invalid-input", "tags"),
        ({"flowKind": "mailbox", "tags": "x"}, 400, "invalid-input", "tags"),
        ({"flowKind": "mailbox", "metadata": []}, 400, "invalid-input", "metadata"),
        ({"flowKind": "mailbox", "state": {"members": []}}, 400, "invalid-input", "state"),
        ({"flowKind": "mailbox", "sessionId": "."}, 400, "invalid-input", "step of a path"),
        ({"flowKind": "mailbox", "sessionId": ".."}, 400, "invalid-input", "step of a path"),
        ({"flowKind": "mailbox", "metadata": {"a": "x" * 16_377}}, 400, "invalid-input", "16385 bytes"),
        ({"flowKind": "mailbox", "parent": "taken"}, 400, "invalid-input", "parent"),
    ],
)
def test_make__refusals(
    owner: Player, mailbox: Mailbox, nothing_written: Any, body: Any, status: int, code: str, word: str
) -> None:
    mailbox("taken")
    with nothing_written():
        problem(owner.api.post("/api/sessions", body), status, code, word)


def test_change__the_description_of_an_open_mailbox_is_settled(owner: Player, mailbox: Mailbox) -> None:
    mailbox("my.id", description="As opened.")
    problem(
        owner.api.call("PATCH", "/api/sessions/my.id", {"description": "Mine.", "title": "T"}),
        409,
        "mailbox-is-open",
    )
    assert owner.api.get("/api/sessions/my.id").json()["description"] == "As opened."
    assert owner.api.get("/api/sessions/my.id").json()["title"] == ""


def test_change__title_description_tags_metadata(owner: Player) -> None:
    made = {"flowKind": "announcements", "sessionId": "my.id", "metadata": {"a": 1}}
    assert owner.api.post("/api/sessions", made).status_code == 201
    changes = {"title": "T", "description": "D", "tags": ["x"], "metadata": {"b": 2}}
    changed = owner.api.call("PATCH", "/api/sessions/my.id", changes)
    assert changed.status_code == 200
    assert {key: changed.json()[key] for key in changes} == {**changes, "metadata": {"a": 1, "b": 2}}
    assert owner.api.get("/api/sessions/my.id").json() == changed.json()


@pytest.mark.parametrize(
    "body", [{"id": "x"}, {"state": {}}, {"userId": "bob"}, {"title": None}, {"tags": ["\x00"]}, {"title": 5}]
)
def test_change__refusals(owner: Player, mailbox: Mailbox, body: Any) -> None:
    before = mailbox("my.id", title="T")
    answer = owner.api.call("PATCH", "/api/sessions/my.id", body)
    problem(
        answer, 403 if "userId" in body else 400, "user-mismatch" if "userId" in body else "invalid-input"
    )
    after = Session.objects.get()
    assert (after.title, after.tags, after.owner, after.state) == ("T", [], before.owner, before.state)


@pytest.mark.parametrize("address", [".", ".."])
def test_act__an_id_that_a_url_cannot_carry_makes_no_session(
    owner: Player, nothing_written: Any, address: str
) -> None:
    with nothing_written():
        problem(owner.api.act(address, "post", {"body": "x"}), 400, "invalid-input", "step of a path")
        named = {"sessionId": address, "input": {"body": "x"}}
        problem(owner.api.post("/api/flows/mailbox/actions/post", named), 400, "invalid-input", "sessionId")


def test_make__the_bodys_organization_is_passed_over(owner: Player, outsider: Player) -> None:
    made = owner.api.post("/api/sessions", {"flowKind": "mailbox", "sessionId": "a", "orgId": "umbrella"})
    assert made.status_code == 201
    assert Session.objects.get().organization == owner.organization


def test_change__metadata_is_bounded_however_it_grows(owner: Player, mailbox: Mailbox) -> None:
    mailbox("my.id")
    patch = partial(owner.api.call, "PATCH", "/api/sessions/my.id")
    assert patch({"metadata": {"a": "é" * 8_000}}).status_code == 200
    problem(patch({"metadata": {"b": "x" * 400}}), 400, "invalid-input", "metadata", "limit is 16384")
    assert set(Session.objects.get().metadata) == {"a"}
    assert patch({"metadata": {"a": "", "b": "x" * 400}}).status_code == 200
    Session.objects.update(metadata={"a": "x" * 40_000, "b": "x" * 40_000})  # from before there was a limit
    assert patch({"title": "T"}).status_code == 200
    assert patch({"metadata": {"b": ""}}).status_code == 200
    problem(patch({"metadata": {"b": "x"}}), 400, "invalid-input")


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_change__a_guard_is_refused_by_name(owner: Player, mailbox: Mailbox, method: str) -> None:
    mailbox("my.id", title="T")
    answer = owner.api.call(method, "/api/sessions/my.id", {"title": "U"}, If_Match='"1"')
    problem(answer, 400, "invalid-input", "If-Match")
    assert Session.objects.get().title == "T"


def test_list__newest_updated_first_and_only_ones_own(
    owner: Player, stranger: Player, outsider: Player, mailbox: Mailbox
) -> None:
    for address in ("one", "two", "three"):
        mailbox(address)
    mailbox("theirs", player=stranger)
    mailbox("elsewhere", player=outsider)
    assert listed(owner) == ["three", "two", "one"]
    owner.api.line("one")
    assert listed(owner) == ["one", "three", "two"]
    assert listed(stranger) == ["theirs"]
    assert listed(outsider) == ["elsewhere"]


def test_list__pages_hold_each_once_under_arrivals(owner: Player, mailbox: Mailbox) -> None:
    moment = clock.now() - timedelta(hours=1)
    for number in range(7):  # some at the very same moment
        mailbox(f"box-{number}", updated_at=moment + timedelta(seconds=number // 3))
    seen: list[str] = []
    query = "?limit=2"
    while True:
        page = owner.api.get(f"/api/sessions{query}").json()
        seen += [entry["id"] for entry in page["items"]]
        mailbox(f"new-{len(seen)}")
        if "nextCursor" not in page:
            break
        query = f"?limit=2&cursor={page['nextCursor']}"
    assert seen == [f"box-{number}" for number in range(6, -1, -1)]


def test_list__filters(owner: Player, mailbox: Mailbox) -> None:
    mailbox("support.help", title="Customers' questions")
    mailbox("team.news", kind="announcements", description="For CUSTOMERS as well")
    mailbox("eng.standup", title="100%_done")
    assert listed(owner, "?flowKind=announcements") == ["team.news"]
    assert listed(owner, "?q=customers") == ["team.news", "support.help"]
    assert listed(owner, "?q=customers%20questions") == ["support.help"]
    assert listed(owner, "?q=help") == ["support.help"]
    assert listed(owner, "?q=%25_") == ["eng.standup"]
    assert listed(owner, "?q=%25&flowKind=announcements") == []


def child_of(session: Session, seat: Any, address: str, *statuses: str) -> Session:
    child = Session.objects.create(
        organization=session.organization, owner=session.owner, kind="agent", parent=session,
        seat=seat, topic="mailbox", address=address,
    )  # fmt: skip
    for status in statuses:
        Request.objects.create(session=child, action="onMailboxPost", source="dispatch", status=status)
    return child


def test_list__children_only_when_asked_for(owner: Player, mailbox: Mailbox, seat: Any) -> None:
    child_of(mailbox("support.help"), seat(), "child.id")
    assert listed(owner) == ["support.help"]
    assert listed(owner, "?include=dispatch-runs") == ["child.id", "support.help"]
    shown = owner.api.get("/api/sessions/child.id").json()
    assert (shown["parentId"], shown["seatId"]) == ("support.help", "support.lead")
    for token in ("runs", "", "dispatch-runs,runs", "dispatch-runs,"):
        problem(owner.api.get(f"/api/sessions?include={token}"), 400, "invalid-input", "include")


@pytest.mark.parametrize(
    ("query", "code", "word"),
    [
        ("limit=0", "invalid-input", "limit"),
        ("limit=201", "invalid-input", "limit"),
        ("limit=x", "invalid-input", "limit"),
        ("limit=", "invalid-input", "limit"),
        ("limit=1e1", "invalid-input", "limit"),
        ("cursor=x", "invalid-cursor", "cursor"),
        ("cursor=", "invalid-cursor", "cursor"),
        ("kind=mailbox", "unknown-parameter", "'kind'"),
        ("limits=5", "unknown-parameter", "did you mean 'limit'"),
        (f"flowKind={'x' * 65}", "invalid-input", "flowKind"),
        (f"q={'x' * 201}", "invalid-input", "q:"),
    ],
)
def test_list__bad_queries(owner: Player, query: str, code: str, word: str) -> None:
    problem(owner.api.get(f"/api/sessions?{query}"), 400, code, word)
    assert len(listed(owner, "?limit=200")) == 0


def test_list__a_cursor_of_another_list_or_user(owner: Player, stranger: Player, mailbox: Mailbox) -> None:
    for number in range(3):
        mailbox(f"box-{number}")
        owner.api.act("box-0", "read")
    sessions = owner.api.get("/api/sessions?limit=1").json()["nextCursor"]
    requests = owner.api.get("/api/sessions/box-0/requests?limit=1").json()["nextCursor"]
    problem(owner.api.get(f"/api/sessions?cursor={requests}"), 400, "invalid-cursor")
    problem(owner.api.get(f"/api/sessions/box-0/requests?cursor={sessions}"), 400, "invalid-cursor")
    problem(stranger.api.get(f"/api/sessions?cursor={sessions}"), 400, "invalid-cursor")


def test_children__newest_first_with_how_each_stands(owner: Player, mailbox: Mailbox, seat: Any) -> None:
    box = mailbox("support.help")
    stands = {
        "idle": (), "busy": ("completed", "pending", "completed"), "runs": ("in_progress",),
        "done": ("failed", "completed"), "broke": ("completed", "failed"), "off": ("aborted",),
    }  # fmt: skip
    for name, statuses in stands.items():
        child_of(box, seat(f"support.{name}"), f"child.{name}", *statuses)
    children = owner.api.get("/api/sessions/support.help/children").json()["items"]
    assert [child["seatId"] for child in children] == [f"support.{name}" for name in reversed(stands)]
    assert {child["id"].removeprefix("child."): child.get("status") for child in children} == {
        "idle": None, "busy": "active", "runs": "active", "done": "completed", "broke": "failed", "off": "aborted",
    }  # fmt: skip
    page = owner.api.get("/api/sessions/support.help/children?limit=4").json()
    rest = owner.api.get(f"/api/sessions/support.help/children?cursor={page['nextCursor']}").json()
    assert page["items"] + rest["items"] == children
    for limit in (0, 101):
        problem(
            owner.api.get(f"/api/sessions/support.help/children?limit={limit}"), 400, "invalid-input", "limit"
        )


def test_lists__constant_numbers_of_queries(owner: Player, mailbox: Mailbox, seat: Any) -> None:
    box = mailbox("support.help")
    paths = ["/api/sessions?include=dispatch-runs", "/api/sessions/support.help/children"]
    counts: dict[str, list[int]] = {path: [] for path in paths}
    for batch in range(2):
        for number in range(1 + batch * 12):
            child_of(
                box, seat(f"support.s{batch}-{number}"), f"child.{batch}-{number}", "completed", "pending"
            )
        for path in paths:
            with CaptureQueriesContext(connection) as queries:
                assert owner.api.get(path).status_code == 200
            counts[path].append(len(queries))
    assert counts[paths[0]][1] <= counts[paths[0]][0] <= 3  # the first call writes when the key was used
    assert counts[paths[1]][0] == counts[paths[1]][1] <= 3
