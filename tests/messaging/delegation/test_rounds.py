"""Answers that go back out."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import override_settings

from messaging.delegation.models import HandOff, Round
from messaging.delegation.services.landing import close_late_rounds, give_up_lost
from tests.messaging.delegation.offices import Judge, Office, ask, below, errors, handed, lines, routes, texts
from workforce import clock, evaluating
from workforce.evaluating import Question, Verdict
from workforce.models import Request, Seat


def numbers() -> list[int]:
    return list(Round.objects.order_by("number").values_list("number", flat=True))


@pytest.mark.parametrize("rounds", [0, 1, 2, 3])
def test_everyone__answers_go_back_out_so_many_times(rounds: int, office: Office) -> None:
    talk = office.lead("everyone", "scout", "clerk", rounds=rounds)
    office.say(talk)
    assert numbers() == list(range(rounds + 1))
    assert len([line for line in lines(talk) if line[0] == "worker"]) == 2 * (rounds + 1)
    assert [route["round"] for route in routes(talk)] == list(range(rounds + 1))


def test_everyone__each_hears_what_the_others_said(office: Office) -> None:
    talk = office.lead("everyone", "scout", "clerk", rounds=1)
    office.script("scout", "It is north.", "Still north.")
    office.say(talk, "Where is it?")
    prompt = office.prompt("clerk")
    assert '{"from": "scout", "text": "It is north."}' in prompt
    assert '{"from": "clerk"' not in prompt
    assert "Where is it?" in prompt
    assert texts(below(talk, "clerk")).count("ada, through lead: Where is it?") == 2


def test_everyone__alone_hears_nobody(office: Office) -> None:
    talk = office.lead("everyone", "scout", rounds=1)
    office.say(talk)
    assert numbers() == [0]
    assert [(route["round"], handed(route)) for route in routes(talk)] == [(0, ["scout"]), (1, [])]
    assert len(texts(talk)) == 2  # nobody is told that nobody took it: it was answered


def test_round_robin__the_next_one_hears_the_answer(office: Office) -> None:
    talk = office.lead("round-robin", "scout", "clerk", rounds=2)
    office.say(talk)
    assert [handed(route) for route in routes(talk)] == [["scout"], ["clerk"], ["scout"]]


def test_best_fit__asks_again_without_who_answered(office: Office, judge: Judge) -> None:
    talk = office.lead("best-fit", "scout", "clerk", rounds=1)
    judge.picks("clerk")
    office.say(talk)
    assert [list(question.choices) for question in judge.asked] == [["scout", "clerk"], ["scout"]]
    assert judge.asked[1].recent == [{"from": "clerk", "text": "clerk did it."}]
    assert [(route["by"], handed(route)) for route in routes(talk)] == [
        ("evaluated", ["clerk"]),
        ("failed", []),
    ]
    assert "lead" not in office.asked


def test_best_fit__whose_pick_leaves_goes_to_no_fallback_that_has_answered(
    office: Office, judge: Judge
) -> None:
    talk = office.lead("best-fit", "scout", "clerk", fallback="scout", rounds=1)

    def leave(question: Question) -> Verdict:
        if "scout" in question.choices:
            return Verdict("scout", score=0.9)
        Seat.objects.filter(seat_id="clerk").update(retired_at=clock.now())
        return Verdict("clerk", score=0.9)

    evaluating._JUDGES[:] = [leave]
    office.say(talk)
    assert [(route["by"], handed(route)) for route in routes(talk)] == [
        ("evaluated", ["scout"]), ("failed", []),
    ]  # fmt: skip
    assert texts(talk)[1:] == ["scout did it."]


def test_judgment__reads_the_answers_in_a_turn_of_its_own(office: Office) -> None:
    talk = office.lead("judgment", "scout", "clerk", rounds=1)
    hand = [("handOff", {"worker": "scout"})]
    office.script("lead", hand, "", [("handOff", {"worker": "clerk"})], "The clerk checks it.")
    office.say(talk, "Where is it?")
    assert numbers() == [0, 1]
    assert [(route["round"], handed(route)) for route in routes(talk)] == [(0, ["scout"]), (1, ["clerk"])]
    assert texts(talk)[2:] == [
        "Round 1: scout answered. Hand the post off again when it needs more, or close it yourself.",
        "The clerk checks it.",
        "clerk did it.",
    ]
    assert "scout did it." in office.prompt("clerk")


def test_round__with_no_answer_goes_no_further(office: Office) -> None:
    talk = office.lead("everyone", "scout", "clerk", rounds=2)
    office.script("scout", "")
    office.script("clerk", "")
    office.say(talk)
    assert numbers() == [0]
    assert Round.objects.get().closed_at is not None
    assert not Request.objects.filter(action="onRound").exists()


def test_round__closes_at_its_deadline_and_late_answers_go_no_further(office: Office) -> None:
    talk = office.lead("everyone", "scout", "clerk", "third", rounds=1)
    office.run(office.say(talk, run=False))
    late = HandOff.objects.get(seat__seat_id="third")
    for hand_off in HandOff.objects.exclude(pk=late.pk):
        office.run(ask(talk, "onDelegateAnswer", {"token": str(hand_off.token), "text": "Soon."}))
    assert close_late_rounds() == 0
    Round.objects.update(deadline=clock.now() - timedelta(seconds=1))
    assert (close_late_rounds(), close_late_rounds()) == (1, 0)
    Request.objects.filter(action="onDelegatedPost").update(status="aborted")
    office.run(Request.objects.get(action="onRound"))
    assert handed(routes(talk)[1]) == ["scout", "clerk", "third"]
    office.run(ask(talk, "onDelegateAnswer", {"token": str(late.token), "text": "Late."}))
    assert texts(talk)[-1] == "Late."
    assert Request.objects.filter(action="onRound").count() == 1


def test_delegate__whose_conversation_was_deleted_has_failed(office: Office) -> None:
    talk = office.lead("everyone", "scout", "clerk")
    office.run(office.say(talk, run=False))
    place = below(talk, "scout")
    assert office.owner.api.call("DELETE", f"/api/sessions/{place.address}").status_code == 204
    office.work()
    assert (give_up_lost(), give_up_lost()) == (1, 0)
    office.work()
    assert errors(talk) == ["delegate-failed"]
    assert [author for role, author, _ in lines(talk) if role == "worker"] == ["clerk"]
    assert Round.objects.get().closed_at is not None
    assert give_up_lost() == 0


@override_settings(DELEGATION_ROUND_SECONDS=7)
def test_round__waits_as_long_as_the_setting_says(office: Office) -> None:
    talk = office.lead("everyone", "scout", rounds=1)
    before = clock.now()
    office.run(office.say(talk, run=False))
    deadline = Round.objects.get().deadline
    assert deadline is not None
    assert timedelta(seconds=6) < deadline - before < timedelta(seconds=9)


def test_round__past_fifty_open_ones_goes_no_further(office: Office) -> None:
    talk = office.lead("everyone", "scout", rounds=1)
    for _ in range(51):
        office.run(office.say(talk, run=False))
    assert Round.objects.filter(deadline=None).count() == 1
