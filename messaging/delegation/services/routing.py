"""Placing one post of a coordinator's conversation, by its mode. See docs/delegation.md.

The slow part (an evaluation, a turn of its own) comes to a plan; the final transaction carries it out. The
conversation is serial, so nothing else happens in it between the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from messaging.delegation.modes import By, Decision, Fit, Routing, decide_fit
from messaging.delegation.selectors.delegates import Delegates, delegates_of
from messaging.delegation.selectors.posts import Post, find_holder, find_round, recent_lines
from messaging.delegation.services.handing import claim_turn, hand_over, record, say_nobody
from messaging.delegation.settings import CoordinatorSettings
from workforce.evaluating import Question, judge_post
from workforce.kinds import Call, Failure, Work
from workforce.kinds.posts import SaidLine
from workforce.turns.errors import EmptyAnswer
from workforce.turns.keeping import keep_user_line
from workforce.turns.running import Ask, Outcome, check_worker, finish_turn, take_turn

#: Under this name a turn's subject holds what ``handOff`` hands on.
HANDING = "handing"


@dataclass(frozen=True, slots=True)
class Handing:
    """What a turn may hand on: a post, in one of its rounds."""

    post: Post
    number: int = 0
    answers: Sequence[SaidLine] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What the slow part came to: where the post goes, or how the coordinator's own turn went."""

    handing: Handing
    #: None where the final transaction decides (whose turn it is, who is there), or the coordinator's turn did.
    decision: Decision | None = None
    outcome: Outcome | None = None
    skipped: dict[str, str] = field(default_factory=dict)


def coordinator_settings(work_or_call: Work | Call) -> CoordinatorSettings:
    """The settings of the session's coordinator. Raises NoWorker, WorkerRetired, WorkerUnreadable."""
    _, settings = check_worker(work_or_call.session)
    assert isinstance(settings, CoordinatorSettings)  # the model of the kind
    return settings


def plan_post(work: Work, post: Post, ask: Ask) -> Plan:
    """The slow part for one post of a person: its line is kept first, whoever takes it."""
    settings = coordinator_settings(work)
    handing = Handing(post)
    if settings.mode == Routing.JUDGMENT:
        return Plan(handing, outcome=take_own_turn(work, ask, handing))
    keep_user_line(work, ask.text, **_shown(ask))
    if settings.mode != Routing.BEST_FIT:
        return Plan(handing)
    delegates = delegates_of(work.session, settings)
    takers = delegates.post_takers()
    holder = find_holder(work.session)
    if holder in takers:
        return Plan(handing, Decision(By.HELD, (str(holder),)))
    recent = recent_lines(work.session, post.uid)
    decision = best_fit(post, recent, delegates, settings)
    outcome = take_turn(work, ask) if decision.by is By.OWN else None
    return Plan(handing, decision, outcome)


def take_own_turn(work: Work, ask: Ask, handing: Handing) -> Outcome:
    """The coordinator's own turn, in which it may hand the post off; then it needs no words of its own."""
    about = {**ask.about, HANDING: handing}
    outcome = take_turn(work, replace(ask, about=about, needs_answer=False))
    if outcome.failure is not None or outcome.text or not ask.needs_answer:
        return outcome
    # By the rows: a run of this turn that died may have handed it off.
    is_handed = find_round(work.session, handing.post.uid, handing.number) is not None
    return outcome if is_handed else replace(outcome, failure=EmptyAnswer())


def best_fit(
    post: Post,
    recent: Sequence[SaidLine],
    delegates: Delegates,
    settings: CoordinatorSettings,
    but: Sequence[str] = (),
) -> Decision:
    """One evaluation over the delegates with a description, outside of any transaction; none without such delegates."""
    takers = {worker: seat for worker, seat in delegates.post_takers().items() if worker not in but}
    choices = {worker: seat.description for worker, seat in takers.items() if seat.description.strip()}
    fit = Fit(None, "no delegate that takes posts has a description")
    if choices:
        verdict = judge_post(Question(post=post.said, recent=recent, choices=choices))
        fit = Fit(verdict.member, verdict.reason, verdict.score)
    return decide_fit(
        fit=fit,
        choices=choices,
        min_confidence=settings.min_confidence,
        fallback=delegates.fallback,
        reachable=takers,
    )


def place_post(call: Call, plan: Plan) -> Failure | dict[str, Any]:
    """The final transaction: owe the runs, show the record, and what the coordinator said itself."""
    settings = coordinator_settings(call)
    handing, outcome = plan.handing, plan.outcome
    if plan.decision is None and outcome is not None:
        return _end_judged(call, settings, handing, outcome)
    if outcome is not None and plan.decision is not None:
        return _end_own(call, settings, plan.decision, handing, outcome)
    delegates = delegates_of(call.session, settings)
    decision = plan.decision or _decide_now(call, settings, delegates)
    return carry_out(call, settings, handing, decision, delegates)


def carry_out(
    call: Call, settings: CoordinatorSettings, handing: Handing, decision: Decision, delegates: Delegates
) -> Failure | dict[str, Any]:
    """Hand the post to those that were decided on and can be reached now; say so when nobody is left.

    Then a post that a mailbox routed here has failed, as it has with a turn that fails.
    """
    takers = delegates.post_takers()
    asked = delegates.ids if settings.mode == Routing.EVERYONE else decision.workers
    skipped = {worker: delegates.why_no_posts(worker) for worker in asked if worker not in takers}
    if settings.mode == Routing.BEST_FIT and skipped:
        decision = _fall_back(decision, delegates, but=[line["from"] for line in handing.answers])
    reached = [takers[worker] for worker in decision.workers if worker in takers]
    decision = replace(decision, workers=tuple(seat.seat_id for seat in reached))
    if not reached:
        reason = decision.reason or "no delegate can be reached now; add one, or take it on yourself"
        decision = replace(decision, by=By.FAILED, reason=reason)
    record(
        call=call,
        post=handing.post,
        policy=settings.mode,
        decision=decision,
        skipped=skipped,
        number=handing.number,
    )
    if reached:
        hand_over(
            call=call,
            post=handing.post,
            by=decision.by,
            seats=reached,
            rounds=settings.rounds,
            number=handing.number,
            answers=handing.answers,
        )
    elif handing.number == 0:
        return say_nobody(call, handing.post, decision.reason) or {"handedTo": []}
    return {"handedTo": list(decision.workers)}


def _fall_back(decision: Decision, delegates: Delegates, but: Sequence[str]) -> Decision:
    """The same for the fallback, when who was picked left while the evaluator thought about it."""
    fallback = delegates.fallback
    if fallback is None or fallback in but or fallback not in delegates.post_takers():
        return decision
    (picked,) = decision.workers
    reason = f"'{picked}' {delegates.why_no_posts(picked)}"
    return replace(decision, by=By.FALLBACK, workers=(fallback,), reason=reason)


def _decide_now(call: Call, settings: CoordinatorSettings, delegates: Delegates) -> Decision:
    takers = delegates.post_takers()
    if settings.mode == Routing.EVERYONE:
        return Decision(By.EVERYONE, tuple(takers))
    found = claim_turn(call.session, delegates.ids, takers)
    return Decision(By.TURN, (found,) if found else ())


def _end_judged(
    call: Call, settings: CoordinatorSettings, handing: Handing, outcome: Outcome
) -> Failure | dict[str, Any]:
    row = find_round(call.session, handing.post.uid, handing.number)
    handed = [] if row is None else [one.seat.seat_id for one in row.hand_offs.select_related("seat")]
    if not handed and outcome.failure is None:
        record(
            call=call,
            post=handing.post,
            policy=settings.mode,
            decision=Decision(By.OWN),
            number=handing.number,
        )
    return _with_handed(finish_turn(call, outcome), handed)


def _end_own(
    call: Call, settings: CoordinatorSettings, decision: Decision, handing: Handing, outcome: Outcome
) -> Failure | dict[str, Any]:
    if outcome.failure is not None:
        decision = replace(decision, by=By.FAILED)
    record(call=call, post=handing.post, policy=settings.mode, decision=decision)
    ended = finish_turn(call, outcome)
    if outcome.failure is not None:
        say_nobody(call, handing.post, f"{decision.reason}; and my own turn failed: {outcome.failure.words}")
    return _with_handed(ended, [])


def _with_handed(ended: Failure | dict[str, Any], handed: Sequence[str]) -> Failure | dict[str, Any]:
    return ended if isinstance(ended, Failure) else {**ended, "handedTo": list(handed)}


def _shown(ask: Ask) -> dict[str, Any]:
    post = ask.about.get("post")
    return {"postId": post.post_id} if post is not None else {}
