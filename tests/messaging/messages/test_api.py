"""``GET /api/messages``: the caller's own log, by filters and pages."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from pydantic import TypeAdapter

from messaging.api.messages import MessagePage
from messaging.models import WorkerMessage
from tests.conftest import Player, make_player
from tests.factories import make_organization
from tests.messaging.messages.office import Office, to
from workforce import clock

PATH = "/api/messages"


@pytest.fixture
def talked(office: Office) -> Office:
    office.hire("ann", to("ben", "What is the codename?"), "Asked.", "Thanks.")
    office.hire("ben", "Bluebird.")
    office.say("ann")
    return office


def make(office: Office, number: int, **fields: Any) -> WorkerMessage:
    values = {
        "message_id": f"msg_{number:020x}",
        "exchange": f"msg_{number:020x}",
        "organization": office.organization,
        "owner": office.user,
        "sender": "ann",
        "recipient": "ben",
        "text": f"number {number}",
        "request_uid": "0" * 32,
        "chain_uid": "0" * 32,
        "status": "delivered",
        "dispatch_key": f"made:{number}",
    }
    return WorkerMessage.objects.create(**{**values, **fields})


def texts(player: Player, query: str = "") -> list[str]:
    answer = player.api.get(f"{PATH}{query}")
    assert answer.status_code == 200, answer.content
    return [item["text"] for item in answer.json()["items"]]


def test_log__has_what_the_page_says(owner: Player, talked: Office) -> None:
    [answer, asked] = owner.api.get(PATH).json()["items"]
    first, second = talked.log()
    assert asked == {
        "id": first.message_id,
        "from": "ann",
        "to": "ben",
        "text": "What is the codename?",
        "exchange": first.message_id,
        "fromSession": talked.own("ann").address,
        "toSession": talked.own("ben").address,
        "chain": str(first.chain_uid),
        "hop": 1,
        "status": "delivered",
        "at": clock.to_ms(first.at),
    }
    assert answer | {"at": 0} == {
        "id": second.message_id,
        "from": "ben",
        "to": "ann",
        "text": "Bluebird.",
        "exchange": first.message_id,
        "replyTo": first.message_id,
        "fromSession": talked.own("ben").address,
        "toSession": talked.own("ann").address,
        "chain": str(first.chain_uid),
        "hop": 2,
        "automatic": True,
        "status": "delivered",
        "at": 0,
    }


def test_log__keeps_refusals_with_their_reason(owner: Player, talked: Office, settings: Any) -> None:
    settings.DISPATCH = "disabled"
    talked.send(talked.turn("ann"), "ben", "Are you there?")
    TypeAdapter(MessagePage).validate_python(owner.api.get(PATH).json())  # as the document says
    [refused] = owner.api.get(f"{PATH}?status=refused").json()["items"]
    assert refused["reason"].startswith("'ben' was not reached: ")
    assert (refused["hop"], "toSession" in refused) == (0, False)


def test_log__is_the_user_s_own(
    owner: Player, member: Player, stranger: Player, outsider: Player, talked: Office
) -> None:
    assert len(texts(owner)) == len(texts(member)) == 2
    assert texts(stranger) == texts(outsider) == []
    first = talked.log()[0]
    for query in (f"?exchange={first.exchange}", "?worker=ann", "?q=codename", "?status=delivered"):
        assert len(texts(owner, query)) > 0
        assert texts(stranger, query) == texts(outsider, query) == []


def test_log__of_a_user_in_two_organizations_is_that_of_the_key_s(owner: Player, talked: Office) -> None:
    elsewhere = make_player(owner.user, make_organization("elsewhere"), "ada-elsewhere")
    assert texts(elsewhere) == []


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("", [5, 4, 3, 2, 1]),
        ("?worker=ann", [5, 4, 2, 1]),
        ("?worker=cid", [5, 3]),
        ("?worker=an", []),
        (f"?exchange=msg_{2:020x}", [3, 2]),
        ("?status=refused", [4]),
        ("?status=unconfirmed", []),
        ("?q=number", [5, 4, 3, 2, 1]),
        ("?q=NUMBER+3", [3]),
        ("?q=%25", []),
        ("?worker=ann&q=number&status=delivered", [5, 2, 1]),
        ("?limit=2", [5, 4]),
    ],
)
def test_filters(query: str, numbers: list[int], owner: Player, office: Office) -> None:
    make(office, 1)
    make(office, 2)
    make(office, 3, sender="ben", recipient="cid", exchange=f"msg_{2:020x}")
    make(office, 4, status="refused")
    make(office, 5, sender="cid", recipient="ann")
    assert texts(owner, query) == [f"number {number}" for number in numbers]


def test_since__takes_moments(owner: Player, office: Office) -> None:
    moment = clock.from_ms(1_770_000_000_000)
    for number in range(3):
        make(office, number, at=moment + timedelta(seconds=number))
    assert texts(owner, "?since=1770000001000") == ["number 2", "number 1"]
    assert texts(owner, "?since=2026-02-02T02:40:02Z") == ["number 2"]


def test_pages__bring_each_once_while_others_arrive(owner: Player, office: Office) -> None:
    for number in range(7):
        make(office, number)
    seen, cursor = [], ""
    for arriving in range(10, 20):
        answer = owner.api.get(f"{PATH}?limit=3{cursor}").json()
        seen += [item["text"] for item in answer["items"]]
        make(office, arriving)
        if "nextCursor" not in answer:
            break
        cursor = f"&cursor={answer['nextCursor']}"
    assert seen == [f"number {number}" for number in reversed(range(7))]


def test_cursor__of_another_is_refused(owner: Player, stranger: Player, office: Office) -> None:
    for number in range(3):
        make(office, number)
    cursor = owner.api.get(f"{PATH}?limit=1").json()["nextCursor"]
    assert stranger.api.get(f"{PATH}?cursor={cursor}").json()["code"] == "invalid-cursor"


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("?status=sent", "invalid-input"),
        ("?status=", "invalid-input"),
        ("?since=yesterday", "invalid-input"),
        ("?since=", "invalid-input"),
        ("?limit=0", "invalid-input"),
        ("?limit=201", "invalid-input"),
        ("?exchange=" + "x" * 25, "invalid-input"),
        ("?worker=" + "x" * 131, "invalid-input"),
        ("?q=" + "x" * 201, "invalid-input"),
        ("?q=%00", "invalid-input"),
        ("?cursor=abc", "invalid-cursor"),
        ("?from=ann", "unknown-parameter"),
    ],
)
def test_bad_queries__are_refused(query: str, code: str, owner: Player) -> None:
    answer = owner.api.get(f"{PATH}{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, code)


def test_methods__are_one(owner: Player) -> None:
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        assert owner.api.call(method, PATH, {}).status_code == 405


def test_page__costs_the_same_whatever_is_on_it(
    owner: Player, talked: Office, django_assert_max_num_queries: Any
) -> None:
    for number in range(30):
        make(talked, number, from_session=talked.own("ann"), to_session=talked.own("ben"))
    with django_assert_max_num_queries(8):
        assert len(texts(owner)) == 32
