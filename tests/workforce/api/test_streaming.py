"""Following a session as server-sent events, on a real server."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from tests.conftest import Mailbox, Player, make_player
from tests.stories.server import Server, until
from tests.workforce.api.live import Follow, follow, server
from tests.workforce.api.test_items import fill
from tests.workforce.dispatch.queues import make_request
from workforce.models import Request, Session
from workforce.services.actors import freeze_actor
from workforce.services.keys import revoke_key

assert server
assert follow

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def box(mailbox: Mailbox) -> Session:
    return mailbox("support.help")


def post(server: Server, player: Player, *bodies: str) -> None:
    with server.client(player.key) as client:
        for body in bodies:
            answer = client.post(
                "/api/flows/mailbox/support.help/actions/post", json={"input": {"body": body}}
            )
            assert answer.status_code == 202, answer.text


def test_stream__runs_first_then_items_in_order_with_their_ids(
    owner: Player, box: Session, server: Server, follow: Follow
) -> None:
    fill(box, 7)
    stream = follow(owner, "support.help")
    until(lambda: len(stream.items()) == 7)
    assert stream.answer.status == 200
    assert stream.answer.getheader("Content-Type") == "text/event-stream; charset=utf-8"
    assert "no-cache" in stream.answer.getheader("Cache-Control", "")
    assert stream.answer.getheader("X-Request-Id")
    assert not [name for name, _ in stream.answer.getheaders() if name.lower().startswith("x-workforce")]
    assert [event.name for event in stream.events] == ["runs"] + ["item"] * 7
    assert stream.events[0].data == {"items": []}
    assert stream.events[0].id is None
    assert [event.id for event in stream.events[1:]] == [str(number) for number in range(1, 8)]
    page = owner.api.get("/api/sessions/support.help/items").json()["items"]
    assert stream.items() == page


def test_stream__a_line_shows_within_a_second(
    owner: Player, member: Player, box: Session, server: Server, follow: Follow
) -> None:
    streams = [follow(player, "support.help") for player in (owner, member)]
    for stream in streams:
        until(lambda: stream.events)  # noqa: B023
    lags = []
    for number in range(1, 4):
        post(server, member, f"é\n\nline {number}")
        posted = time.monotonic()
        until(lambda: all(len(stream.items()) == number for stream in streams))  # noqa: B023
        lags.append(time.monotonic() - posted)
    assert min(lags) < 1, lags
    assert [item["data"]["body"] for item in streams[0].items()][-1] == "é\n\nline 3"
    assert streams[0].items() == streams[1].items()


def test_stream__more_than_a_page(owner: Player, box: Session, follow: Follow) -> None:
    fill(box, 450)
    stream = follow(owner, "support.help")
    until(lambda: len(stream.items()) >= 450)
    assert stream.seqs() == list(range(1, 451))
    assert len(stream.runs()) == 1


def test_stream__where_it_starts(owner: Player, box: Session, follow: Follow) -> None:
    fill(box, 5)
    starts = [
        (follow(owner, "support.help", "?after=3"), [4, 5]),
        (follow(owner, "support.help", Last_Event_ID=2), [3, 4, 5]),
        (follow(owner, "support.help", "?after=1", Last_Event_ID=4), [5]),
        (follow(owner, "support.help", "?after=99"), []),
        (follow(owner, "support.help", "?after=0"), [1, 2, 3, 4, 5]),
    ]
    for stream, expected in starts:
        until(lambda: stream.events and len(stream.items()) == len(expected))  # noqa: B023
        assert stream.seqs() == expected


def test_stream__none_is_lost_or_doubled_while_posts_arrive(
    owner: Player, member: Player, box: Session, server: Server, follow: Follow
) -> None:
    """Followers come and go, each resuming where the one before it ended."""
    whole = follow(owner, "support.help")
    writers = [
        threading.Thread(
            target=post, args=(server, player, *[f"{player.actor.passname} {n}" for n in range(20)])
        )
        for player in (owner, member)
    ]
    for writer in writers:
        writer.start()
    seen: list[int] = []
    while len(seen) < 40:
        part = follow(member, "support.help", **({"Last_Event_ID": seen[-1]} if seen else {}))
        until(lambda: len(part.items()) >= min(7, 40 - len(seen)))  # noqa: B023
        part.close()
        seen += part.seqs()
    for writer in writers:
        writer.join()
    until(lambda: len(whole.items()) >= 40)
    assert whole.seqs() == seen == list(range(1, 41))


def test_stream__runs_at_every_change(owner: Player, box: Session, seat: Any, follow: Follow) -> None:
    child = Session.objects.create(
        organization=owner.organization, owner=owner.user, kind="agent", parent=box,
        seat=seat("support.lead"), topic="mailbox", address="child.id",
    )  # fmt: skip
    stream = follow(owner, "support.help")
    until(lambda: stream.runs() == [[]])
    run = make_request(child, "onMailboxPost", status="in_progress")
    until(lambda: stream.runs() == [[], ["support.lead"]])
    latecomer = follow(owner, "support.help")
    until(lambda: latecomer.runs() == [["support.lead"]])
    assert latecomer.events[0].data["items"][0]["status"] == "active"
    Request.objects.filter(pk=run.pk).update(status="completed")
    until(lambda: stream.runs() == [[], ["support.lead"], []])
    assert stream.items() == []


@pytest.mark.parametrize("end", ["freeze", "revoke"])
def test_stream__ends_with_the_key(
    owner: Player, member: Player, box: Session, server: Server, follow: Follow, end: str
) -> None:
    mine, other = follow(owner, "support.help"), follow(member, "support.help")
    until(lambda: mine.events and other.events)
    if end == "freeze":
        freeze_actor(organization=owner.organization, passname="ada-desk")
    else:
        revoke_key(organization=owner.organization, prefix=owner.key)
    assert mine.ended.wait(timeout=3)
    post(server, member, "not for that key")
    until(lambda: len(other.items()) == 1)
    assert mine.items() == []


def test_stream__refusals_are_problems(
    owner: Player, stranger: Player, outsider: Player, box: Session, server: Server
) -> None:
    reader = make_player(owner.user, owner.organization, "ada-mute", "flows:write")
    path = "/api/sessions/support.help/stream"
    cases: list[tuple[str, str, dict[str, str], int, str]] = [
        (stranger.key, path, {}, 404, "session-not-found"),
        (outsider.key, path, {}, 404, "session-not-found"),
        (owner.key, path.replace("help", "none"), {}, 404, "session-not-found"),
        (reader.key, path, {}, 403, "not-granted"),
        ("wfk_no", path, {}, 401, "unauthenticated"),
        (owner.key, f"{path}?after=x", {}, 400, "invalid-input"),
        (owner.key, f"{path}?since=1", {}, 400, "unknown-parameter"),
        (owner.key, path, {"Last-Event-ID": "x"}, 400, "invalid-input"),
        (owner.key, path, {"Last-Event-ID": "-1"}, 400, "invalid-input"),
        (owner.key, path, {"Last-Event-ID": "9" * 30}, 400, "invalid-input"),
    ]
    for key, target, headers, status, code in cases:
        with server.client(key) as client:
            answer = client.get(target, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (status, code), target
        assert answer.headers["Content-Type"] == "application/problem+json"
    with server.client(stranger.key) as client:
        bodies = [client.get(target).content for target in (path, path.replace("help", "none"))]
    assert bodies[0].replace(b"help", b"none") == bodies[1]


def test_stream__a_client_cannot_set_where_it_resumes(owner: Player, box: Session, follow: Follow) -> None:
    fill(box, 3)
    stream = follow(owner, "support.help", X_Workforce_Resume=2)
    until(lambda: len(stream.items()) == 3)
    assert stream.seqs() == [1, 2, 3]


def test_stream__not_without_the_server_in_front(owner: Player, box: Session) -> None:
    answer = owner.api.get("/api/sessions/support.help/stream")
    assert (answer.status_code, answer.json()["code"]) == (501, "no-streams")
