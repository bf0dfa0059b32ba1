"""Messages, threads, the outbound view and search."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from urllib.parse import quote

import pytest

from messaging.inbox.models import Message
from messaging.inbox.payloads import compact
from tests.clients import problem
from tests.messaging.inbox.conftest import Mate, done
from workforce import clock

Unchanged = Callable[..., AbstractContextManager[None]]


@pytest.mark.parametrize("payload", ["a" * 50, "😀é漢" * 20, {"k": ["é" * 30]}, "\x00" * 20])
def test_max_chars__cuts_between_characters(planner: Mate, coder: Mate, payload: Any) -> None:
    message = planner.send(payload)
    text = compact(payload)
    for most in (1, 7, len(text) - 1):
        seen = coder.see(message["id"], f"?maxChars={most}")
        assert (seen["payloadExcerpt"], seen["truncated"]) == (text[:most], True)
        assert len(seen["payloadExcerpt"]) == most
        assert seen["payloadSize"] == len(text.encode())
        assert "payload" not in seen
    for query in ("", f"?maxChars={len(text)}", "?maxChars=10000000"):
        assert coder.see(message["id"], query)["payload"] == payload


@pytest.mark.parametrize("value", ["0", "-1", "x", "1.5", "", "10000001"])
def test_max_chars__out_of_range(planner: Mate, coder: Mate, value: str) -> None:
    message = planner.send()
    problem(coder.get(f"messages/{message['id']}?maxChars={value}"), 400, "invalid-input", "maxChars")


def test_message__shows_the_callers_own_state_and_changes_none(
    planner: Mate, coder: Mate, nothing_written: Unchanged, unmoved: Unchanged
) -> None:
    message = planner.send()
    with nothing_written(), unmoved():
        assert coder.see(message["id"])["state"] == "pending"
        assert "state" not in planner.see(message["id"])
        for path in ("thread", "receipts", "events"):
            done(coder.get(f"messages/{message['id']}/{path}/"))


def _thread(mates: list[Mate], depth: int) -> list[str]:
    ids: list[str] = []
    for n in range(depth):
        reply = {"replyingTo": ids[-1]} if ids else {}
        ids.append(mates[n % len(mates)].send(n, type="message", **reply)["id"])
    return ids


def test_ancestry__is_the_line_without_siblings(planner: Mate, coder: Mate) -> None:
    line = _thread([planner, coder], 4)
    coder.send("aside", replyingTo=line[1])
    thread = done(coder.get(f"messages/{line[2]}/thread/"))
    assert [item["id"] for item in thread["items"]] == line[:3]
    assert (thread["total"], thread["threadId"], thread["view"]) == (3, line[0], "ancestry")
    assert "leftOut" not in thread
    everything = done(coder.get(f"messages/{line[2]}/thread/?view=all"))
    assert [item["seq"] for item in everything["items"]] == [1, 2, 3, 4, 5]


def _deep_thread(planner: Mate, depth: int) -> list[Message]:
    root = Message.objects.get(pk=planner.send("root")["id"])
    rows = [root]
    for n in range(1, depth):
        rows.append(
            Message(
                inbox=planner.inbox,
                sender=planner.actor,
                type="message",
                topic="plan",
                seq=root.seq + n,
                replying_to=rows[-1],
                thread_id=root.pk,
                depth=n,
                payload=n,
                payload_size=1,
                words=str(n),
            )  # fmt: skip
        )
    Message.objects.bulk_create(rows[1:])
    planner.inbox.message_seq = depth
    planner.inbox.save()
    return rows


@pytest.mark.parametrize("view", ["ancestry", "all"])
def test_thread__a_thousand_deep(
    planner: Mate, coder: Mate, view: str, django_assert_max_num_queries: Any
) -> None:
    rows = _deep_thread(planner, 1000)
    path = f"messages/{rows[-1].pk}/thread/?view={view}&limit=200"
    seen: list[str] = []
    cursor = ""
    while True:
        with django_assert_max_num_queries(9):
            page = done(coder.get(path + cursor))
        seen += [item["id"] for item in page["items"]]
        assert (page["total"], page["leftOut"]) == (1000, 800)
        if "nextCursor" not in page:
            break
        cursor = f"&cursor={page['nextCursor']}"
    assert seen == [str(row.pk) for row in rows]
    assert done(coder.try_send("one more", replyingTo=str(rows[-1].pk)), 201)["depth"] == 1000


def test_thread__is_bounded_in_size(planner: Mate, coder: Mate) -> None:
    root = planner.send("x" * 200_000)
    for n in range(6):
        planner.send(f"{n}" + "x" * 200_000, replyingTo=root["id"])
    page = done(coder.get(f"messages/{root['id']}/thread?view=all"))
    assert (len(page["items"]), page["leftOut"], page["total"]) == (4, 3, 7)
    rest = done(coder.get(f"messages/{root['id']}/thread?view=all&cursor={page['nextCursor']}"))
    assert len(rest["items"]) == 3
    capped = done(coder.get(f"messages/{root['id']}/thread?view=all&maxChars=50"))
    assert {len(item["payloadExcerpt"]) for item in capped["items"]} == {50}


@pytest.mark.parametrize("query", ["view=up", "limit=201", "limit=0", "cursor=x", "maxChars=0"])
def test_thread__out_of_shape(planner: Mate, query: str, coder: Mate) -> None:
    message = planner.send()
    assert coder.get(f"messages/{message['id']}/thread?{query}").status_code == 400


def test_sent__says_what_one_waits_for(planner: Mate, coder: Mate, boss: Mate) -> None:
    asked = planner.send(to=["coder", "boss"])
    planner.send(type="info", to=["coder"])
    coder.pull()
    reply = coder.send("Why?", type="message", replyingTo=asked["id"], to=["planner"])
    done(boss.do(asked["id"], "complete"))
    items = done(planner.get("sent/"))["items"]
    assert [item["seq"] for item in items] == [2, 1]
    item = done(planner.get("sent/?type=request&open=true"))["items"][0]
    assert item["replies"] == 1
    assert (item["newestReply"]["id"], item["newestReply"]["sender"]) == (reply["id"], "coder")
    assert 0 <= item["age"] < 60_000
    states = {entry["passname"]: entry for entry in item["recipients"]}
    assert (states["boss"]["state"], states["coder"]["state"]) == ("completed", "delivered")
    assert states["boss"]["completedAt"] and states["coder"]["deliveredAt"]
    done(coder.do(asked["id"], "archive"))
    assert done(planner.get("sent/?type=request&open=true"))["items"] == []
    assert [item["seq"] for item in done(planner.get("sent/?open=false"))["items"]] == [1]
    assert done(planner.get("sent/?topic=other"))["items"] == []


def sent_pages(mate: Mate, limit: int) -> list[list[int]]:
    """The numbers on each page of what was sent."""
    pages: list[list[int]] = []
    cursor = ""
    while True:
        page = done(mate.get(f"sent/?limit={limit}{cursor}"))
        pages.append([item["seq"] for item in page["items"]])
        if "nextCursor" not in page:
            return pages
        cursor = f"&cursor={page['nextCursor']}"


def test_sent__pages(planner: Mate, coder: Mate, django_assert_max_num_queries: Any) -> None:
    for n in range(7):
        planner.send(n)
    with django_assert_max_num_queries(18):
        assert sent_pages(planner, 3) == [[7, 6, 5], [4, 3, 2], [1]]


def test_sent__a_page_is_bounded_in_recipients(planner: Mate, monkeypatch: pytest.MonkeyPatch) -> None:
    for to in (["coder"], ["coder", "boss"], None, ["boss"], ["coder"]):
        planner.send(to=to)
    monkeypatch.setattr("messaging.inbox.api.sent.RECIPIENTS", 3)
    assert sent_pages(planner, 100) == [[5, 4], [3], [2, 1]]
    monkeypatch.setattr("messaging.inbox.api.sent.RECIPIENTS", 2)
    assert sent_pages(planner, 100) == [[5, 4], [3], [2], [1]]


TEXTS = [
    "see TASK-17 soon", "release v1.2 today", "either a/b or c", "written in C++", "so what? nothing",
    "100% sure", "under_score", "back\\slash", 'he said "hi" twice', "Straße in Köln", "TASK 17 apart", "v1x2",
]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("task-17", [0]),
        ("TASK 17", [0, 10]),
        ('"task 17"', [10]),
        ("v1.2", [1]),
        ("a/b", [2]),
        ("C++", [3]),
        ("what?", [4]),
        ("%", [5]),
        ("_", [6]),
        ("\\", [7]),
        ('said "hi', [8]),
        ("STRASSE", [9]),
        ("köln", [9]),
        ("see soon", [0]),
        ("see today", []),
        ("OR", [2, 6]),
        ("-twice", []),
        ("a*", []),
        ("'; DROP TABLE x; --", []),
        ("(((", []),
        ('"', [8]),
        ("", list(range(12))),
    ],
)
def test_search__words_are_letters(planner: Mate, coder: Mate, query: str, found: list[int]) -> None:
    for text in TEXTS:
        planner.send({"text": text})
    items = done(coder.get(f"search/?q={quote(query)}"))["items"]
    assert [item["seq"] - 1 for item in items] == found[::-1]


def test_search__filters_before_the_limit(planner: Mate, coder: Mate, boss: Mate) -> None:
    wanted = planner.send("needle", topic="rare", type="info")
    for n in range(30):
        coder.send(f"needle {n}")
    coder.pull()
    for query in ("topic=rare", "type=info", "sender=PLANNER", "status=delivered"):
        page = done(coder.get(f"search/?q=needle&limit=1&{query}"))
        assert [item["id"] for item in page["items"]] == [wanted["id"]], query
        assert "nextCursor" not in page
    assert done(coder.get("search/?status=completed"))["items"] == []
    assert len(done(boss.get("search/?status=pending&limit=100"))["items"]) == 31
    first = done(boss.get("search/?status=pending&limit=20"))
    rest = done(boss.get(f"search/?status=pending&limit=20&cursor={first['nextCursor']}"))
    assert [item["seq"] for item in first["items"] + rest["items"]] == list(range(31, 0, -1))


def test_search__by_time(planner: Mate, coder: Mate) -> None:
    planner.send(1)
    middle = clock.now()
    planner.send(2)
    for text in (str(clock.to_ms(middle) + 1), quote(middle.isoformat())):
        assert [item["seq"] for item in done(coder.get(f"search/?since={text}"))["items"]] == [2]
    assert [
        item["seq"] for item in done(coder.get(f"search/?until={quote(middle.isoformat())}"))["items"]
    ] == [1]
    assert (
        len(done(coder.get("search/?since=2020-01-01T00:00:00Z&until=2100-01-01T00:00:00%2B01:00"))["items"])
        == 2
    )
    assert len(done(coder.get("search/?since=2020-01-01T00:00:00+01:00"))["items"]) == 2


@pytest.mark.parametrize("name", ["since", "until"])
@pytest.mark.parametrize(
    "value",
    ["yesterday", "2026-01-01", "2026-01-01T00:00:00", "2026-13-01T00:00:00Z", "9999-12-31T23:59:59-12:00",
     "0001-01-01T00:00:00%2B14:00", "-1", "1e9", "9" * 20],
)  # fmt: skip
def test_search__rubbish_dates(coder: Mate, name: str, value: str) -> None:
    problem(coder.get(f"search/?{name}={value}"), 400, "invalid-input", name)


@pytest.mark.parametrize(
    "query",
    ["status=open", "type=x", "q=" + "x" * 201, "limit=0", "limit=101", "cursor=x", "query=x", "status="],
)
def test_search__out_of_shape(coder: Mate, query: str) -> None:
    assert coder.get(f"search/?{query}").status_code == 400
