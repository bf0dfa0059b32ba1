"""Pages of a session's items."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.clients import problem
from tests.conftest import Mailbox, Player
from workforce.models import LINE, Item, Request, Session

PATH = "/api/sessions/support.help/items"


def fill(session: Session, number: int) -> None:
    """Items of every sort in turn: a line, a route, a message, a tool's output, an error."""
    request = Request.objects.create(session=session, action="post", source="http", status="completed")
    sorts = [
        ("component", LINE),
        ("component", "mailbox-route"),
        ("message", ""),
        ("tool_output", ""),
        ("error", ""),
    ]
    first = session.item_seq
    rows = []
    for place in range(number):
        kind, component = sorts[(first + place) % 5]
        is_line = component == LINE
        if is_line:
            session.line_seq += 1
        rows.append(
            Item(
                session=session, seq=first + place + 1, type=kind, component=component, request_id=request.uid,
                line_seq=session.line_seq if is_line else None, body="x" if is_line else "",
                principal="ada" if is_line else "", data=None if is_line else {"n": first + place + 1},
            )
        )  # fmt: skip
    Item.objects.bulk_create(rows)
    session.item_seq = first + number
    session.save()


def page(player: Player, query: str = "") -> dict[str, Any]:
    answer = player.api.get(f"{PATH}{query}")
    assert answer.status_code == 200, answer.content
    body: dict[str, Any] = answer.json()
    return body


def seqs(body: dict[str, Any]) -> list[int]:
    return [item["seq"] for item in body["items"]]


def walk(player: Player, query: str) -> list[list[int]]:
    """The numbers of every page, following the cursors."""
    pages, cursor = [], ""
    while True:
        body = page(player, f"?{query}{cursor}")
        pages.append(seqs(body))
        if "nextCursor" not in body:
            return pages
        cursor = f"&cursor={body['nextCursor']}"


def test_items__from_the_start_in_order(owner: Player, mailbox: Mailbox) -> None:
    fill(mailbox(), 60)
    body = page(owner)
    assert list(body) == ["items", "nextCursor", "lastSeq"]
    assert (seqs(body), body["lastSeq"]) == (list(range(1, 51)), 60)
    assert walk(owner, "limit=25") == [list(range(1, 26)), list(range(26, 51)), list(range(51, 61))]
    assert walk(owner, "limit=60") == [list(range(1, 61))]


def test_items__none(owner: Player, mailbox: Mailbox) -> None:
    mailbox()
    assert page(owner) == {"items": [], "lastSeq": 0}


def test_items__the_shapes(owner: Player, mailbox: Mailbox) -> None:
    fill(mailbox(), 5)
    line, route, message, tool, error = page(owner)["items"]
    assert list(line) == ["id", "seq", "type", "component", "requestId", "at", "data"]
    assert list(line["data"]) == ["id", "seq", "at", "principal", "authorVerified", "body"]
    assert (route["component"], route["data"]) == ("mailbox-route", {"n": 2})
    for item, kind in ((message, "message"), (tool, "tool_output"), (error, "error")):
        assert list(item) == ["id", "seq", "type", "requestId", "at", "data"]
        assert (item["type"], item["data"]) == (kind, {"n": item["seq"]})


def test_items__after(owner: Player, mailbox: Mailbox) -> None:
    fill(mailbox(), 9)
    assert seqs(page(owner, "?after=7")) == [8, 9]
    assert seqs(page(owner, "?after=9")) == seqs(page(owner, f"?after={2**53}")) == []
    assert walk(owner, "after=2&limit=3") == [[3, 4, 5], [6, 7, 8], [9]]


def test_items__before_is_the_newest_page_and_leads_back(owner: Player, mailbox: Mailbox) -> None:
    fill(mailbox(), 9)
    assert seqs(page(owner, "?before=4")) == [1, 2, 3]
    assert seqs(page(owner, "?before=1")) == []
    assert walk(owner, f"before={2**53}&limit=4") == [[6, 7, 8, 9], [2, 3, 4, 5], [1]]


def test_items__between(owner: Player, mailbox: Mailbox) -> None:
    fill(mailbox(), 9)
    assert walk(owner, "after=2&before=8&limit=2") == [[3, 4], [5, 6], [7]]


@pytest.mark.parametrize("query", ["limit=3", f"before={2**53}&limit=3"])
def test_items__each_once_while_items_are_added(owner: Player, mailbox: Mailbox, query: str) -> None:
    session = mailbox()
    fill(session, 10)
    seen: list[int] = []
    cursor = ""
    for _ in range(20):
        body = page(owner, f"?{query}{cursor}")
        seen += seqs(body)
        if "nextCursor" not in body:
            break
        cursor = f"&cursor={body['nextCursor']}"
        if session.item_seq < 16:
            fill(session, 2)
    backwards = "before" in query
    assert sorted(seen) == list(range(1, 11 if backwards else 17))
    assert len(seen) == len(set(seen))


def test_items__filters(owner: Player, mailbox: Mailbox) -> None:
    fill(mailbox(), 20)
    assert seqs(page(owner, "?types=message")) == [3, 8, 13, 18]
    assert seqs(page(owner, "?types=message,error")) == [3, 5, 8, 10, 13, 15, 18, 20]
    assert seqs(page(owner, f"?component={LINE}")) == [1, 6, 11, 16]
    assert seqs(page(owner, "?types=message&component=mailbox-route")) == []
    assert walk(owner, f"component={LINE}&before=16&limit=2") == [[6, 11], [1]]
    assert page(owner, "?component=none")["lastSeq"] == 20


@pytest.mark.parametrize(
    ("query", "code", "word"),
    [
        ("types=line", "invalid-input", "types"),
        ("types=message,", "invalid-input", "types"),
        (f"component={'x' * 65}", "invalid-input", "component"),
        ("limit=0", "invalid-input", "limit"),
        ("limit=201", "invalid-input", "limit"),
        ("limit=-1", "invalid-input", "limit"),
        ("after=-1", "invalid-input", "after"),
        ("after=x", "invalid-input", "after"),
        ("after=", "invalid-input", "after"),
        (f"after={2**53 + 1}", "invalid-input", "after"),
        ("before=1.5", "invalid-input", "before"),
        ("before=%D9%A3", "invalid-input", "before"),
        ("before=" + "9" * 5000, "invalid-input", "before"),
        ("since=1", "unknown-parameter", "since"),
        ("cursor=AAAA", "invalid-cursor", "cursor"),
    ],
)
def test_items__bad_queries(owner: Player, mailbox: Mailbox, query: str, code: str, word: str) -> None:
    fill(mailbox(), 3)
    problem(owner.api.get(f"{PATH}?{query}"), 400, code, word)
    assert seqs(page(owner, "?limit=200")) == [1, 2, 3]


def test_items__a_cursor_of_another_session(owner: Player, mailbox: Mailbox) -> None:
    fill(mailbox(), 3)
    fill(mailbox("other.box"), 3)
    cursor = owner.api.get("/api/sessions/other.box/items?limit=1").json()["nextCursor"]
    problem(owner.api.get(f"{PATH}?cursor={cursor}"), 400, "invalid-cursor")


def test_items__unchanged_is_told_without_a_body(owner: Player, mailbox: Mailbox) -> None:
    session = mailbox()
    fill(session, 3)
    first = owner.api.get(f"{PATH}?limit=2")
    again = owner.api.get(f"{PATH}?limit=2", If_None_Match=first["ETag"])
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    several = owner.api.get(f"{PATH}?limit=2", If_None_Match=f'"other", W/{first["ETag"]}')
    assert several.status_code == 304
    assert owner.api.get(f"{PATH}?limit=3", If_None_Match=first["ETag"]).status_code == 200
    assert owner.api.get(PATH, If_None_Match=first["ETag"]).status_code == 200
    assert owner.api.get(PATH, If_None_Match="*").status_code == 304
    assert owner.api.get(PATH, If_None_Match=first["ETag"].strip('"')).status_code == 200
    problem(owner.api.get(f"{PATH}?limit=0", If_None_Match="*"), 400, "invalid-input", "limit")
    fill(session, 1)
    changed = owner.api.get(f"{PATH}?limit=2", If_None_Match=first["ETag"])
    assert (changed.status_code, changed.json()["lastSeq"]) == (200, 4)
    assert changed["ETag"] != first["ETag"]


def test_items__an_etag_of_another_session_or_user_tells_nothing(
    owner: Player, stranger: Player, mailbox: Mailbox
) -> None:
    fill(mailbox(), 3)
    fill(mailbox("other.box"), 3)
    etag = owner.api.get(PATH)["ETag"]
    assert owner.api.get("/api/sessions/other.box/items", If_None_Match=etag).status_code == 200
    problem(stranger.api.get(PATH, If_None_Match=etag), 404, "session-not-found")


def test_items__a_constant_number_of_queries(owner: Player, mailbox: Mailbox) -> None:
    session = mailbox()
    fill(session, 5)
    page(owner)  # writes when the key was last used
    counts = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            page(owner, "?limit=200")
        counts.append(len(queries))
        fill(session, 190)
    assert counts[0] == counts[1] <= 3
