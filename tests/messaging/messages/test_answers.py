"""Answers: by the tool, and by a turn's final text; where they land, and that an exchange ends."""

from __future__ import annotations

from typing import Any

import pytest

from tests.messaging.messages.office import Office, message_id_in, to
from tests.workforce.dispatch.queues import make_request
from workforce import clock
from workforce.models import Request, Seat, Session


@pytest.fixture
def pair(office: Office) -> Office:
    office.hire("researcher", to("chief"), "Asked.", "Thanks.")
    office.hire("chief", "Bluebird.")
    return office


def test_final_text__is_the_answer(pair: Office) -> None:
    pair.say("researcher")
    asked, answer = pair.log()
    assert pair.said()[1] == ("chief", "researcher", "Bluebird.")
    assert (answer.reply_to, answer.exchange) == (asked.message_id, asked.message_id)
    assert (answer.automatic, answer.hop, answer.chain_uid) == (True, 2, asked.chain_uid)
    assert (answer.from_session, answer.to_session) == (asked.to_session, asked.from_session)
    assert pair.shown("researcher") == [
        "told| Go on.",
        "researcher| Asked.",
        "chief| From chief: Bluebird.",
        "researcher| Thanks.",
    ]


def test_exchange__ends_after_one_answer(pair: Office) -> None:
    pair.say("researcher")
    assert len(pair.log()) == 2
    assert Request.objects.filter(action="onWorkerMessage").count() == 2


@pytest.mark.parametrize("with_id", [True, False])
def test_final_text__of_a_turn_that_messaged_the_sender_is_not_sent(with_id: bool, pair: Office) -> None:
    def answer(prompt: str) -> Any:
        more = {"replyTo": message_id_in(prompt)} if with_id else {}
        return to("researcher", "It is Bluebird.", **more)

    pair.script("researcher", to("chief"), "Asked.", "")
    pair.script("chief", answer, "I have told them.")
    pair.say("researcher")
    asked, sent = pair.log()
    assert (sent.text, sent.automatic) == ("It is Bluebird.", False)
    assert (sent.reply_to, sent.exchange) == (
        (asked.message_id, asked.message_id) if with_id else ("", sent.message_id)
    )


def test_final_text__is_sent_when_only_a_third_was_messaged(pair: Office) -> None:
    pair.hire("third", "")
    pair.script("chief", to("third", "They ask."), "Bluebird.")
    pair.say("researcher")
    assert pair.said()[1:] == [("chief", "third", "They ask."), ("chief", "researcher", "Bluebird.")]


def test_final_text__is_sent_when_the_turn_s_message_was_refused(pair: Office) -> None:
    pair.script("chief", to("researcher", " "), "Bluebird.")
    pair.say("researcher")
    assert pair.said()[1:] == [("chief", "researcher", "Bluebird.")]


def test_final_text__is_sent_when_the_asker_s_side_refused_the_turn_s_message(
    pair: Office, settings: Any
) -> None:
    def close(prompt: str) -> Any:
        settings.DISPATCH = "disabled"
        return to("researcher", "Bluebird?")

    def open_again(prompt: str) -> str:
        settings.DISPATCH = "enabled"
        return "Bluebird."

    pair.script("chief", close, open_again)
    pair.say("researcher")
    assert [(message.text, message.status) for message in pair.log()[1:]] == [
        ("Bluebird?", "refused"),
        ("Bluebird.", "delivered"),
    ]


@pytest.mark.parametrize("text", ["", " \n", "\u200b", "\u3164", "\u200b" * 8000 + "x"])
def test_no_text__is_no_answer(text: str, pair: Office) -> None:
    pair.script("chief", text)
    pair.say("researcher")
    assert len(pair.log()) == 1


def test_failed_turn__is_no_answer(pair: Office) -> None:
    pair.script("chief", RuntimeError("no"))
    pair.say("researcher")
    assert len(pair.log()) == 1
    assert Request.objects.get(action="onWorkerMessage").status == "failed"


@pytest.mark.parametrize(
    ("said", "sent"),
    [("x" * 8000, "x" * 8000), ("😀" * 8001, "😀" * 8000), (" a\n", "a"), ("a\x00b\ud83d", "ab?")],
)
def test_final_text__is_cut_to_fit(said: str, sent: str, pair: Office) -> None:
    pair.script("chief", said)
    pair.say("researcher")
    assert pair.log()[1].text == sent


@pytest.mark.parametrize(("limits", "count"), [((1, 3), 1), ((2, 3), 2)])
def test_final_text__counts_in_the_chain_and_is_silent_beyond_it(
    limits: tuple[int, int], count: int, pair: Office, settings: Any
) -> None:
    settings.WORKER_MESSAGES = dict(zip(("hop_limit", "per_turn"), limits, strict=True))
    pair.say("researcher")
    assert [message.hop for message in pair.log()] == list(range(1, count + 1))
    assert set(Request.objects.values_list("status", flat=True)) == {"completed"}


def test_final_text__counts_in_the_turn_and_is_silent_beyond_it(pair: Office, settings: Any) -> None:
    settings.WORKER_MESSAGES = {"hop_limit": 9, "per_turn": 1}
    pair.hire("third", "")
    pair.script("chief", to("third", "They ask."), "Bluebird.")
    pair.say("researcher")
    assert pair.said()[1:] == [("chief", "third", "They ask.")]


def test_final_text__that_the_asker_s_side_refuses_is_logged(
    pair: Office, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair.script("chief", lambda prompt: setattr(settings, "DISPATCH", "disabled") or "Bluebird.")
    pair.say("researcher")
    assert [(message.status, message.automatic, message.hop) for message in pair.log()] == [
        ("delivered", False, 1),
        ("refused", True, 0),
    ]


@pytest.mark.parametrize("change", [{"retired_at": clock.now()}, {"kind": "gardener"}])
def test_final_text__goes_to_nobody_when_the_asker_is_gone(change: dict[str, Any], pair: Office) -> None:
    pair.send(pair.turn("researcher"), "chief")
    Seat.objects.filter(seat_id="researcher").update(**change)
    pair.run()
    assert len(pair.log()) == 1
    assert Request.objects.get(action="onWorkerMessage").status == "completed"


class TestLanding:
    """An answer comes back to where it was asked, but not to work that may be over."""

    def place(self, office: Office, topic: str, parent: Session | None = None) -> Session:
        seat = Seat.objects.get(seat_id="researcher")
        fields = {"organization": office.organization, "owner": office.user, "kind": "agent", "seat": seat}
        return Session.objects.create(address=f"at-{topic}", parent=parent, topic=topic, **fields)

    def landed(self, office: Office, turn: Any) -> Session | None:
        office.send(turn, "chief")
        office.run()
        [_, answer] = office.log()
        return answer.to_session

    def test_in_a_conversation_below_a_mailbox__it_comes_back_there(self, pair: Office, mailbox: Any) -> None:
        place = self.place(pair, "mailbox", mailbox())
        pair.script("researcher", "Thanks.")
        assert self.landed(pair, pair.turn("researcher", session=place)) == place
        assert pair.shown(place)[0] == "chief| From chief: Bluebird."

    def test_in_an_older_conversation__it_comes_back_there(self, pair: Office) -> None:
        old = pair.own("researcher")
        turn = pair.turn("researcher", session=old)
        self.place(pair, "")
        assert pair.own("researcher") != old
        pair.script("researcher", "Thanks.")
        assert self.landed(pair, turn) == old

    @pytest.mark.parametrize(
        ("topic", "action"),
        [("task:task_1", "work"), ("task:task_1", "run"), ("", "work"), ("", "onDelegatedPost")],
    )
    def test_for_a_task_or_a_delegated_post__it_goes_to_the_own_conversation(
        self, topic: str, action: str, pair: Office, mailbox: Any
    ) -> None:
        own = pair.own("researcher")
        place = self.place(pair, topic, mailbox())
        pair.script("researcher", "Thanks.")
        assert self.landed(pair, pair.turn("researcher", session=place, action=action)) == own
        assert pair.shown(own)[0] == "chief| From chief: Bluebird."

    def test_that_was_deleted__it_goes_to_the_own_conversation(self, pair: Office) -> None:
        place = self.place(pair, "gone")
        pair.script("researcher", "Thanks.")
        pair.send(pair.turn("researcher", session=place), "chief")
        place.delete()
        pair.run()
        [asked, answer] = pair.log()
        assert (asked.from_session, answer.to_session) == (None, pair.own("researcher"))

    def test_of_a_worker_of_another_kind_since__it_goes_to_a_new_one(
        self, pair: Office, office: Office
    ) -> None:
        place = pair.own("researcher")
        pair.send(pair.turn("researcher"), "chief")
        Session.objects.filter(pk=place.pk).update(kind="hands")  # as if the worker had changed
        pair.run()
        assert pair.log()[1].to_session != place

    def test_an_answer_by_the_tool__lands_like_one_by_the_final_text(
        self, pair: Office, mailbox: Any
    ) -> None:
        place = self.place(pair, "mailbox", mailbox())
        pair.script("researcher", "Thanks.")
        pair.script("chief", lambda prompt: to("researcher", "It.", replyTo=message_id_in(prompt)), "")
        assert self.landed(pair, pair.turn("researcher", session=place)) == place

    def test_without_reply_to__it_lands_in_the_own_conversation(self, pair: Office, mailbox: Any) -> None:
        own, place = pair.own("researcher"), self.place(pair, "mailbox", mailbox())
        pair.script("researcher", "")
        pair.script("chief", to("researcher", "It."), "")
        assert self.landed(pair, pair.turn("researcher", session=place)) == own


def test_an_answer_to_an_answer__goes_on_in_the_exchange(pair: Office) -> None:
    pair.script(
        "researcher",
        to("chief"),
        "Asked.",
        lambda prompt: to("chief", "Really?", replyTo=message_id_in(prompt)),
        "Hm.",
    )
    pair.script("chief", "Bluebird.", "Yes.")
    pair.say("researcher")
    first, answer, again = pair.log()
    assert [message.exchange for message in pair.log()] == [first.message_id] * 3
    assert again.reply_to == answer.message_id
    # woken by an answer, so what it says stays with it
    assert pair.shown("chief")[-1] == "chief| Yes."


def test_post_turn__sends_messages_and_still_answers_its_mailbox(pair: Office) -> None:
    pair.script("researcher", to("chief"), "I ask the chief.")
    delivery = {"mailboxId": "m", "member": "researcher", "postId": "p", "principal": "ada", "body": "Hm?"}
    make_request(pair.own("researcher"), "onMailboxPost", input=delivery)
    pair.run()
    assert [pair.said()[0][:2], pair.said()[1][:2]] == [("researcher", "chief"), ("chief", "researcher")]
