"""What a turn of a worker with delegates is offered: ``handOff``, and the tools of the list. See docs/delegation.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pydantic import Field

from messaging.delegation.errors import AlreadyHandedOff, DelegateUnavailable
from messaging.delegation.modes import By, Decision, Routing
from messaging.delegation.selectors.delegates import Delegates, delegates_of
from messaging.delegation.services import listing
from messaging.delegation.services.handing import hand_over, record
from messaging.delegation.services.routing import HANDING, Handing
from messaging.delegation.settings import CoordinatorSettings
from workforce.kinds import ClosedModel, NoInput
from workforce.refusals import listed, quoted
from workforce.texts import Text
from workforce.toolsets import Tool, Turn, lists_tool

HAND_OFF = "handOff"
#: The note of a turn that holds whom it handed the post to.
HANDED = "handed"
#: How much of each delegate's description the tool shows.
SHOWN = 300


class DelegateName(ClosedModel):
    """One worker, by its id."""

    worker: Text = Field(description="The worker's id, as listed.")


class FallbackName(ClosedModel):
    """One of the delegates, or null for none."""

    worker: Text | None = Field(description="The delegate's id, or null for none.")


def hand_off(turn: Turn, asked: DelegateName) -> dict[str, Any]:
    """Hand the turn's post to a delegate; its answer lands in this conversation under its id."""
    handing: Handing = turn.about[HANDING]
    settings = turn.settings
    assert isinstance(settings, CoordinatorSettings)  # only these are offered it
    handed: set[str] = turn.notes.setdefault(HANDED, set())
    with turn.work.step() as call:
        delegates = delegates_of(call.session, settings)
        _check_takes(delegates, asked.worker)
        if asked.worker in handed:
            raise AlreadyHandedOff(f"{quoted(asked.worker)} has this post already; it answers once")
        seat = delegates.seats[asked.worker]
        owed = len(call.owed)
        hand_over(
            call=call,
            post=handing.post,
            by=By.JUDGED,
            seats=[seat],
            rounds=settings.rounds,
            number=handing.number,
            answers=handing.answers,
        )
        if len(call.owed) > owed:  # not so when a run of this turn that died had done it
            decision = Decision(By.JUDGED, (asked.worker,))
            record(
                call=call,
                post=handing.post,
                policy=settings.mode,
                decision=decision,
                number=handing.number,
            )
    handed.add(asked.worker)
    return {"handedTo": asked.worker, "note": "it answers in this conversation, under its own id"}


def _check_takes(delegates: Delegates, worker: str) -> None:
    """Raise NotADelegate or DelegateUnavailable, with those that could take it."""
    listing.check_listed(delegates, worker)
    reason = delegates.why_no_posts(worker)
    if reason:
        raise DelegateUnavailable(
            f"{quoted(worker)} {reason}; these could take it: {listed(delegates.post_takers())}"
        )


def offer_delegation(turn: Turn) -> Iterator[Tool]:
    """``handOff`` in the own turns of a coordinator by judgment, and what the worker's file lists of the others."""
    settings = turn.settings
    if isinstance(settings, CoordinatorSettings) and settings.mode == Routing.JUDGMENT:
        takers = delegates_of(turn.session, settings).post_takers()
        if HANDING in turn.about and takers:
            yield Tool(HAND_OFF, _described(takers), DelegateName, hand_off)
    for name, (words, model, run) in LIST_TOOLS.items():
        if lists_tool(turn, name):
            yield Tool(name, words, model, run)


def _described(takers: dict[str, Any]) -> str:
    lines = ["Hand this post to a delegate, which answers it here under its own id. Delegates:"]
    for worker, seat in takers.items():
        words = " ".join(seat.description[: SHOWN * 2].split())[:SHOWN]
        lines.append(f"- {worker}: {words}" if words else f"- {worker}")
    return "\n".join(lines)


def _list(turn: Turn, asked: NoInput) -> dict[str, Any]:
    return listing.list_delegates(session=turn.session, settings=turn.settings)


def _changing(change: Callable[..., dict[str, Any]]) -> Callable[[Turn, Any], dict[str, Any]]:
    def run(turn: Turn, asked: Any) -> dict[str, Any]:
        with turn.work.step() as call:
            return change(session=call.session, settings=turn.settings, worker=asked.worker)

    return run


#: In the catalog: a worker has those that its file lists under ``tools``.
LIST_TOOLS: dict[str, tuple[str, Any, Callable[[Turn, Any], Any]]] = {
    "listDelegates": ("Your delegates in this conversation, and what each takes.", NoInput, _list),
    "addDelegate": (
        "Make a worker of the roster a delegate in this conversation.",
        DelegateName,
        _changing(listing.add_delegate),
    ),
    "removeDelegate": (
        "Take a delegate off the list of this conversation.",
        DelegateName,
        _changing(listing.remove_delegate),
    ),
    "setFallback": (
        "Make a delegate the one that takes what fits nobody, or nobody.",
        FallbackName,
        _changing(listing.set_fallback),
    ),
}
