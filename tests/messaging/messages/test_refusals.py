"""What is not sent: every refusal, alone and in pairs, in the order of the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import pytest
from django.db import connection

from messaging.models import Chain, WorkerMessage
from messaging.tools.messages import offer_messages
from tests.conftest import Player, make_player
from tests.factories import make_organization
from tests.messaging.messages.office import Office
from workforce import clock
from workforce.models import Seat
from workforce.toolsets import Turn

Prepare = Callable[[Office, Turn, Any], None]


@dataclass(frozen=True, slots=True)
class Case:
    """One reason for a refusal: what is asked, or what is so beforehand."""

    code: str
    #: What the case is about; two about the same cannot both be.
    about: str
    words: str
    asked: dict[str, Any]
    prepare: Prepare = lambda office, turn, settings: None


def fill_chain(office: Office, turn: Turn, settings: Any) -> None:
    Chain.objects.create(uid=turn.request.chain_uid, count=6)


def fill_turn(office: Office, turn: Turn, settings: Any) -> None:
    WorkerMessage.objects.bulk_create(
        WorkerMessage(
            message_id=f"msg_{number:020}",
            organization=office.organization,
            owner=office.user,
            sender="me",
            recipient="peer",
            text="Before.",
            exchange=f"msg_{number:020}",
            request_uid=turn.request.uid,
            chain_uid=turn.request.uid,
            status="delivered",
            dispatch_key=f"before:{number}",
        )
        for number in range(3)
    )


def stop_dispatch(office: Office, turn: Turn, settings: Any) -> None:
    settings.DISPATCH = "disabled"


#: In the order in which they are checked.
CASES = [
    Case("empty_message", "text", "no text", {"text": " \n\t"}),
    Case("message_too_long", "text", "8001", {"text": "x" * 8001}),
    Case("not_yourself", "to", "is you", {"to": "me"}),
    Case("no_worker", "to", "'nobody'", {"to": "nobody"}),
    Case("worker_unavailable", "to", "no kind 'gardener'", {"to": "gone"}),
    Case("worker_unavailable", "to", "'mood'", {"to": "broken"}),
    Case("worker_unavailable", "to", "'mood'", {"to": "broken.hands"}),
    Case("worker_unavailable", "to", "no kind of worker", {"to": "box"}),
    Case("takes_tasks_only", "to", "file a task", {"to": "hands"}),
    Case("no_turn", "to", "message one of its delegates", {"to": "spread"}),
    Case("no_such_message", "replyTo", "leave replyTo out", {"replyTo": f"msg_{'0' * 20}"}),
    Case("hop_limit", "chain", "stop passing on, and say so", {}, fill_chain),
    Case("per_turn_limit", "turn", "this turn has sent 3", {}, fill_turn),
    Case("not_delivered", "delivery", "peer", {}, stop_dispatch),
]
PAIRS = [pair for pair in combinations(CASES, 2) if pair[0].about != pair[1].about]


def name_of(case: Any) -> str:
    return f"{case.code}-{case.asked.get('to', '')}"


@pytest.fixture
def turn(office: Office) -> Turn:
    for worker_id in ("me", "peer"):
        office.hire(worker_id)
    office.hire("gone", kind="gardener", settings={})
    office.hire("broken", settings={"mood": "good"})
    office.hire("broken.hands", kind="hands", settings={"mood": "good"})
    office.hire("box", kind="mailbox", settings={})
    office.hire("hands", kind="hands")
    office.hire("spread", kind="spread")
    return office.turn("me")


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_refusal__alone(case: Case, office: Office, turn: Turn, settings: Any, nothing_written: Any) -> None:
    case.prepare(office, turn, settings)
    with nothing_written(**({"WorkerMessage": 1} if case.code == "not_delivered" else {})):
        answer = office.send(turn, **{"worker_id": case.asked.get("to", "peer"), **_but_to(case)})
    assert answer.keys() == {"ok", "error"} and answer["ok"] is False
    assert answer["error"].startswith(f"{case.code}: ") and case.words in answer["error"]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{name_of(pair[0])}+{name_of(pair[1])}")
def test_refusals__in_pairs_the_earlier_one_is_told(
    pair: tuple[Case, Case], office: Office, turn: Turn, settings: Any, nothing_written: Any
) -> None:
    for case in pair:
        case.prepare(office, turn, settings)
    asked = {**_but_to(pair[0]), **_but_to(pair[1])}
    worker_id = pair[0].asked.get("to") or pair[1].asked.get("to") or "peer"
    with nothing_written():
        answer = office.send(turn, worker_id, **asked)
    assert answer["error"].startswith(f"{pair[0].code}: ")


def _but_to(case: Case) -> dict[str, Any]:
    return {name: value for name, value in case.asked.items() if name != "to"}


def test_not_delivered__keeps_the_message_and_why(office: Office, turn: Turn, settings: Any) -> None:
    settings.DISPATCH = "disabled"
    answer = office.send(turn, "peer", "Hello?")
    [kept] = office.log()
    assert answer["error"] == f"not_delivered: {kept.reason}"
    assert (kept.status, kept.text, kept.hop, kept.to_session) == ("refused", "Hello?", 0, None)
    assert not Chain.objects.exists()


def test_refused__uses_up_neither_a_hop_nor_a_place(office: Office, turn: Turn, settings: Any) -> None:
    settings.WORKER_MESSAGES = {"hop_limit": 2, "per_turn": 2}
    for worker_id in ("nobody", "me", "hands", "spread", "gone"):
        assert office.send(turn, worker_id)["ok"] is False
    settings.DISPATCH = "disabled"
    assert office.send(turn, "peer")["ok"] is False
    settings.DISPATCH = "enabled"
    assert [office.send(turn, "peer").get("hopsLeft") for _ in range(3)] == [1, 0, None]
    assert [message.hop for message in office.log() if message.status == "delivered"] == [1, 2]


class TestCorruptRows:
    """One row of the roster that cannot be read is told of, and stops nobody else."""

    @pytest.mark.parametrize("stored", ['{"model', '"text"', "[1]", "3", "null", '{"": 1}', ""])
    def test_recipient__is_unavailable(self, stored: str, office: Office, turn: Turn) -> None:
        with connection.cursor() as cursor:
            cursor.execute("UPDATE workforce_seat SET settings = %s WHERE seat_id = 'peer'", [stored])
        answer = office.send(turn, "peer")["error"]
        assert answer.startswith(
            "worker_unavailable: 'peer' cannot run: its stored settings cannot be read ("
        )
        office.hire("third")
        assert "sent" in office.send(turn, "third")
        [tool] = offer_messages(turn)
        assert "- third" in tool.description and "- peer" not in tool.description

    def test_others__take_their_turns(self, office: Office, turn: Turn) -> None:
        office.hire("third")
        with connection.cursor() as cursor:
            cursor.execute("UPDATE workforce_seat SET settings = '{' WHERE seat_id = 'peer'")
        assert office.say("third").output == {"text": "Noted."}
        refused = office.say("peer")
        assert (refused.error or {})["code"] == "worker-unreadable"
        assert Seat.objects.get(seat_id="peer").settings == "{"

    def test_row__that_is_saved_again_is_as_it_was(self, office: Office, turn: Turn) -> None:
        with connection.cursor() as cursor:
            cursor.execute("UPDATE workforce_seat SET settings = '{' WHERE seat_id = 'peer'")
            Seat.objects.get(seat_id="peer").save()
            cursor.execute("SELECT settings FROM workforce_seat WHERE seat_id = 'peer'")
            assert cursor.fetchone() == ("{",)


class TestNoWorker:
    """Another user's worker is told of in the words for one that there is not."""

    @pytest.mark.parametrize("asked", ["bobs", "per", "peers", "pee"])
    def test_words__are_the_same(self, asked: str, office: Office, turn: Turn, stranger: Player) -> None:
        without = office.send(turn, asked)["error"]
        seat = office.hire(asked, owner=stranger.user)
        assert office.send(turn, asked)["error"] == without
        assert without.startswith(f"no_worker: there is no worker '{asked}' on this roster")
        Seat.objects.filter(pk=seat.pk).update(retired_at=clock.now())
        assert office.send(turn, asked)["error"] == without

    def test_hint__is_one_that_can_be_messaged(self, office: Office, turn: Turn, stranger: Player) -> None:
        office.hire("pear", owner=stranger.user)
        assert "did you mean 'peer'" in office.send(turn, "pear")["error"]
        assert "did you mean" not in office.send(turn, "handz")["error"]

    def test_one_that_was_fired_is_none(self, office: Office, turn: Turn) -> None:
        Seat.objects.filter(seat_id="peer").update(retired_at=clock.now())
        assert office.send(turn, "peer")["error"].startswith("no_worker: ")

    @pytest.mark.parametrize("odd", ["", " ", "peer ", "PEER", "a\x00b", "x" * 5000, "../peer"])
    def test_odd_ids__are_none(self, odd: str, office: Office, turn: Turn, nothing_written: Any) -> None:
        with nothing_written():
            assert office.send(turn, odd)["error"].startswith("no_worker: ")


class TestReplies:
    @pytest.mark.parametrize("odd", ["", "msg_", "x" * 9000, "a\x00b", "MSG_" + "0" * 20])
    def test_odd_ids__are_no_message(
        self, odd: str, office: Office, turn: Turn, nothing_written: Any
    ) -> None:
        with nothing_written():
            assert office.send(turn, "peer", replyTo=odd)["error"].startswith("no_such_message: ")

    def test_only_a_message_of_that_worker_to_this_one_is_answered(self, office: Office, turn: Turn) -> None:
        office.hire("third")
        sent = {
            (sender, recipient): office.send(office.turn(sender), recipient)["sent"]
            for sender, recipient in [("peer", "me"), ("third", "me"), ("me", "peer"), ("peer", "third")]
        }
        for pair, message_id in sent.items():
            answer = office.send(turn, "peer", replyTo=message_id)
            assert ("sent" in answer) == (pair == ("peer", "me")), answer

    def test_a_message_of_another_user_is_none(self, office: Office, turn: Turn, stranger: Player) -> None:
        theirs = Office(stranger)
        sent = theirs.send(theirs.turn("peer"), "me")["sent"]
        assert office.send(turn, "peer", replyTo=sent)["error"].startswith("no_such_message: ")

    def test_a_message_of_the_same_user_elsewhere_is_none(self, office: Office, turn: Turn) -> None:
        elsewhere = Office(make_player(office.user, make_organization("elsewhere"), "ada-elsewhere"))
        for worker_id in ("me", "peer"):
            elsewhere.hire(worker_id)
        sent = elsewhere.send(elsewhere.turn("peer"), "me")["sent"]
        assert office.send(turn, "peer", replyTo=sent)["error"].startswith("no_such_message: ")

    def test_one_that_was_refused_is_none(self, office: Office, turn: Turn, settings: Any) -> None:
        settings.DISPATCH = "disabled"
        office.send(office.turn("peer"), "me")
        settings.DISPATCH = "enabled"
        [refused] = office.log()
        assert office.send(turn, "peer", replyTo=refused.message_id)["error"].startswith("no_such_message: ")
