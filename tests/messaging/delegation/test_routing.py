"""Best-fit, round-robin and everyone; posts of mailboxes."""

from __future__ import annotations

import pytest

from messaging.delegation.models import HandOff
from tests.conftest import Mailbox
from tests.messaging.delegation.offices import Judge, Office, ask, below, errors, handed, lines, routes, texts
from workforce import clock, evaluating
from workforce.evaluating import Question, Verdict
from workforce.models import Request, Seat


class TestBestFit:
    def test_best_fit__goes_to_the_pick(self, office: Office, judge: Judge) -> None:
        talk = office.lead("best-fit", "scout", "clerk")
        judge.picks("clerk", 0.7)
        request = office.say(talk, "Where is the form?")
        assert request.output == {"handedTo": ["clerk"]}
        assert texts(talk) == ["Where is the form?", "clerk did it."]
        (route,) = routes(talk)
        assert (route["by"], route["fit"], handed(route)) == ("evaluated", 0.7, ["clerk"])
        (question,) = judge.asked
        assert question.post == {"from": "ada", "text": "Where is the form?"}
        assert question.choices == {"scout": "Does what scout does.", "clerk": "Does what clerk does."}

    def test_best_fit__asks_only_about_reachable_delegates_with_a_description(
        self, office: Office, judge: Judge
    ) -> None:
        office.hire("mute", description=" ")
        office.hire("coder", kind="handler", handler="none")
        talk = office.lead("best-fit", "scout", "mute", "coder")
        office.say(talk)
        assert list(judge.asked[0].choices) == ["scout"]

    def test_best_fit__makes_no_call_without_a_choice(self, office: Office, judge: Judge) -> None:
        office.hire("mute", description=" ")
        talk = office.lead("best-fit", "mute", fallback="mute")
        request = office.say(talk)
        assert judge.asked == []
        assert (routes(talk)[0]["by"], request.output) == ("fallback", {"handedTo": ["mute"]})

    @pytest.mark.parametrize(("score", "by"), [(0.6, "evaluated"), (0.59, "fallback"), (None, "fallback")])
    def test_best_fit__wants_min_confidence(
        self, score: float | None, by: str, office: Office, judge: Judge
    ) -> None:
        talk = office.lead("best-fit", "scout", "clerk", fallback="clerk", minConfidence=0.6)
        judge.picks("scout", score)
        office.say(talk)
        assert routes(talk)[0]["by"] == by
        assert handed(routes(talk)[0]) == (["scout"] if by == "evaluated" else ["clerk"])

    def test_best_fit__takes_it_itself_without_a_fallback(self, office: Office, judge: Judge) -> None:
        talk = office.lead("best-fit", "scout")
        office.script("lead", "I know that.")
        request = office.say(talk)
        assert request.output == {"text": "I know that.", "handedTo": []}
        assert texts(talk) == ["What is the capital of France?", "I know that."]
        assert (routes(talk)[0]["by"], routes(talk)[0]["reason"]) == ("own", "none fits")
        assert "handOff" not in office.tools("lead")

    def test_best_fit__says_that_nobody_took_it_when_its_own_turn_fails(
        self, office: Office, judge: Judge
    ) -> None:
        talk = office.lead("best-fit", "scout")
        office.script("lead", "")
        request = office.say(talk)
        assert request.status == "failed"
        assert errors(talk) == ["empty-answer"]
        assert lines(talk)[-1][:2] == ("assistant", "")
        assert lines(talk)[-1][2].startswith("Nobody took this post: none fits; and my own turn failed:")
        assert routes(talk)[0]["by"] == "failed"

    def test_best_fit__keeps_the_holder_that_has_not_answered(self, office: Office, judge: Judge) -> None:
        talk = office.lead("best-fit", "scout", "clerk")
        judge.picks("clerk")
        office.run(office.say(talk, "One.", run=False))
        judge.picks("scout")
        office.run(office.say(talk, "Two.", run=False))
        office.run(office.say(talk, "Three.", run=False))
        assert [(route["by"], handed(route)) for route in routes(talk)] == [
            ("evaluated", ["clerk"]), ("held", ["clerk"]), ("evaluated", ["scout"]),
        ]  # fmt: skip
        assert len(judge.asked) == 2

    @pytest.mark.parametrize("ending", ["It is done.", ""])
    def test_best_fit__an_answer_or_a_failure_ends_the_hold(
        self, ending: str, office: Office, judge: Judge
    ) -> None:
        talk = office.lead("best-fit", "scout", "clerk")
        office.script("clerk", ending)
        judge.picks("clerk")
        office.say(talk, "One.")
        judge.picks("scout")
        office.say(talk, "Two.")
        assert [route["by"] for route in routes(talk)] == ["evaluated", "evaluated"]

    def test_best_fit__goes_on_when_the_evaluation_failed(self, office: Office, judge: Judge) -> None:
        talk = office.lead("best-fit", "scout", "clerk", fallback="clerk")
        judge.verdict = Verdict(None, "the evaluation failed: TimeoutError")
        office.say(talk)
        (route,) = routes(talk)
        assert (route["by"], route["reason"]) == ("fallback", "the evaluation failed: TimeoutError")

    @pytest.mark.parametrize(
        ("gone", "why"), [("fired", "is not hired any more"), ("removed", "is no delegate any more")]
    )
    @pytest.mark.parametrize("fallback", ["clerk", None, "scout"])
    def test_best_fit__takes_the_fallback_when_the_pick_leaves_meanwhile(
        self, fallback: str | None, gone: str, why: str, office: Office, judge: Judge
    ) -> None:
        talk = office.lead("best-fit", "scout", "clerk", **({"fallback": fallback} if fallback else {}))

        def leave(question: Question) -> Verdict:
            if gone == "fired":
                Seat.objects.filter(seat_id="scout").update(retired_at=clock.now())
            else:
                path = f"/api/flows/coordinator/{talk.address}/actions/removeDelegate"
                assert office.owner.api.post(path, {"input": {"worker": "scout"}}).status_code < 300
            return Verdict("scout", score=0.9)

        evaluating._JUDGES[:] = [leave]
        office.say(talk)
        (route,) = routes(talk)
        assert route["delegates"][-1] == {"worker": "scout", "outcome": "skipped", "reason": why}
        if fallback == "clerk":
            assert (route["by"], route["reason"], handed(route)) == ("fallback", f"'scout' {why}", ["clerk"])
            assert texts(talk)[-1] == "clerk did it."
        else:
            assert (route["by"], route["none"]) == ("failed", True)
            assert texts(talk)[-1].startswith("Nobody took this post: ")


class TestRoundRobin:
    def test_round_robin__gives_each_its_turn_and_passes_over_who_is_gone(self, office: Office) -> None:
        office.hire("coder", kind="handler", handler="none")
        talk = office.lead("round-robin", "scout", "coder", "clerk")
        for _ in range(3):
            office.say(talk)
        assert [handed(route) for route in routes(talk)] == [["scout"], ["clerk"], ["scout"]]
        assert "lead" not in office.asked

    def test_round_robin__claims_once_for_a_post_that_is_run_again(self, office: Office) -> None:
        talk = office.lead("round-robin", "scout", "clerk")
        request = office.say(talk, run=False)
        # A worker died after its first step: the line is there, and nothing else.
        from tests.workforce.dispatch.queues import running

        request.delete()
        again = running(talk, lapsed=True, action="run", input={"message": "Again?"})
        office.run(again)
        office.say(talk)
        assert [handed(route) for route in routes(talk)] == [["scout"], ["clerk"]]

    def test_round_robin__says_that_nobody_is_there(self, office: Office) -> None:
        talk = office.lead("round-robin", "scout")
        Seat.objects.filter(seat_id="scout").update(retired_at="2026-01-01T00:00Z")
        request = office.say(talk)
        assert request.output == {"handedTo": []}
        assert texts(talk)[-1].startswith("Nobody took this post: no delegate can be reached now")
        assert (routes(talk)[0]["by"], routes(talk)[0]["none"]) == ("failed", True)


class TestEveryone:
    def test_everyone__each_answers_once_under_its_id(self, office: Office) -> None:
        office.hire("coder", kind="handler", handler="none")
        talk = office.lead("everyone", "scout", "coder", "clerk")
        request = office.say(talk)
        assert request.output == {"handedTo": ["scout", "clerk"]}
        assert sorted(lines(talk)[1:]) == [
            ("worker", "clerk", "clerk did it."),
            ("worker", "scout", "scout did it."),
        ]
        assert routes(talk)[0]["delegates"] == [
            {"worker": "scout", "outcome": "handed"},
            {"worker": "clerk", "outcome": "handed"},
            {"worker": "coder", "outcome": "skipped", "reason": "only takes tasks"},
        ]

    def test_everyone__has_nobody(self, office: Office) -> None:
        talk = office.lead("everyone")
        office.say(talk)
        assert lines(talk)[-1][:2] == ("assistant", "")

    def test_everyone__shows_a_delegates_own_hire_first(self, office: Office) -> None:
        office.hire("scout", own=True, model="office:mine")
        talk = office.lead("everyone", "scout")
        Seat.objects.create(
            organization=office.owner.organization, seat_id="scout", kind="agent", description="Standard."
        )
        office.say(talk)
        assert texts(talk)[-1] == "mine did it."

    def test_everyone__a_dead_delegate_is_told_by_the_sweep(self, office: Office) -> None:
        from messaging.delegation.services.landing import give_up_lost

        talk = office.lead("everyone", "scout")
        office.run(office.say(talk, run=False))
        Request.objects.filter(action="onDelegatedPost").update(status="failed", error={"code": "abandoned"})
        assert (give_up_lost(), give_up_lost()) == (1, 0)
        office.work()
        assert errors(talk) == ["delegate-failed"]
        assert (give_up_lost(), HandOff.objects.get().status) == (0, "failed")


class TestMailbox:
    def test_post__routed_to_the_coordinator_is_answered_by_the_first_delegate(
        self, office: Office, mailbox: Mailbox
    ) -> None:
        box = mailbox("support.help", members=["lead"])
        lead = office.lead("everyone", "scout", "clerk").seat
        assert lead is not None
        talk = office.conversation(lead, "below", parent=box, topic="mailbox")
        post = {
            "mailboxId": "support.help",
            "member": "lead",
            "postId": "p1",
            "principal": "ada",
            "body": "Help!",
        }
        office.run(ask(talk, "onMailboxPost", {**post, "author": "bob", "routed": True}, source="dispatch"))
        office.work()
        assert texts(talk)[0] == "bob in support.help: Help!"
        assert texts(below(talk, "scout"))[0] == "bob, through lead: Help!"
        (answer,) = Request.objects.filter(action="answer")
        assert answer.session == box
        assert (answer.input["postId"], answer.input["author"]) == ("p1", "lead")
        assert answer.input["body"] in ("scout did it.", "clerk did it.")

    def test_post__not_routed_is_answered_in_its_own_conversation_alone(
        self, office: Office, mailbox: Mailbox
    ) -> None:
        lead = office.lead("everyone", "scout").seat
        assert lead is not None
        talk = office.conversation(lead, "below", parent=mailbox("support.help"), topic="mailbox")
        post = {
            "mailboxId": "support.help",
            "member": "lead",
            "postId": "p1",
            "principal": "ada",
            "body": "Help!",
        }
        office.run(ask(talk, "onMailboxPost", post, source="dispatch"))
        office.work()
        assert texts(talk)[-1] == "scout did it."
        assert not Request.objects.filter(action="answer").exists()

    def test_post__that_the_coordinator_takes_itself_is_answered_by_it(
        self, office: Office, mailbox: Mailbox
    ) -> None:
        lead = office.lead("judgment", "scout").seat
        assert lead is not None
        talk = office.conversation(lead, "below", parent=mailbox("support.help"), topic="mailbox")
        post = {
            "mailboxId": "support.help",
            "member": "lead",
            "postId": "p1",
            "principal": "ada",
            "body": "Help!",
        }
        office.script("lead", "Here I am.")
        office.run(ask(talk, "onMailboxPost", {**post, "routed": True}, source="dispatch"))
        assert [one.input["body"] for one in Request.objects.filter(action="answer")] == ["Here I am."]
