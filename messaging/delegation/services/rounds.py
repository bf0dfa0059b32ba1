"""Sending the answers of a round out again, by the coordinator's mode. See docs/delegation.md, "Rounds"."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from messaging.delegation.modes import By, Decision, Routing
from messaging.delegation.selectors.delegates import delegates_of
from messaging.delegation.selectors.posts import answers_of, find_round, post_of
from messaging.delegation.services.handing import claim_turn
from messaging.delegation.services.routing import (
    Handing,
    Plan,
    best_fit,
    carry_out,
    coordinator_settings,
    place_post,
    take_own_turn,
)
from workforce.kinds import Call, ClosedModel, Failure, Work
from workforce.kinds.posts import SaidLine
from workforce.turns.running import Ask


class RoundInput(ClosedModel):
    """Which round of which post is to begin."""

    model_config = ConfigDict(alias_generator=to_camel)

    post_id: Annotated[uuid.UUID, Field(strict=False)]
    round: int


def plan_round(work: Work) -> Plan | None:
    """The slow part of a further round; None when the round before is not there any more."""
    settings = coordinator_settings(work)
    handing = _handing(work)
    if handing is None:
        return None
    answers = handing.answers
    if settings.mode == Routing.JUDGMENT:
        return Plan(handing, outcome=take_own_turn(work, _ask(handing.number, answers), handing))
    if settings.mode != Routing.BEST_FIT:
        return Plan(handing)
    delegates = delegates_of(work.session, settings)
    decision = best_fit(handing.post, answers, delegates, settings, but=[line["from"] for line in answers])
    if decision.by is By.OWN:  # what was answered needs no turn of the coordinator's own
        decision = replace(decision, by=By.FAILED)
    return Plan(handing, decision)


def place_round(call: Call) -> Failure | dict[str, Any]:
    """The final transaction of a further round. Nobody is handed only what it said itself."""
    plan: Plan | None = call.worked
    if plan is None:
        return {"handedTo": []}
    if plan.decision is not None or plan.outcome is not None:
        return place_post(call, plan)
    settings = coordinator_settings(call)
    delegates = delegates_of(call.session, settings)
    authors = {line["from"] for line in plan.handing.answers}
    hearing = [worker for worker in delegates.post_takers() if authors - {worker}]
    if settings.mode == Routing.EVERYONE:
        decision = Decision(By.EVERYONE, tuple(hearing))
    else:
        found = claim_turn(call.session, delegates.ids, hearing)
        decision = Decision(By.TURN, (found,) if found else ())
    return carry_out(call, settings, plan.handing, decision, delegates)


def _handing(work: Work) -> Handing | None:
    asked: RoundInput = work.input
    before = find_round(work.session, asked.post_id, asked.round - 1)
    if before is None:
        return None
    return Handing(post_of(before), asked.round, answers_of(before))


def _ask(number: int, answers: Sequence[SaidLine]) -> Ask:
    names = ", ".join(dict.fromkeys(line["from"] for line in answers))
    return Ask(
        f"Round {number}: {names} answered. Hand the post off again when it needs more, or close it yourself.",
        before=[{"from": line["from"], "text": line["text"]} for line in answers],
        needs_answer=False,
    )
