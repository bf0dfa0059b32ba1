"""What a coordinator's file may say, and how it is refused."""

from __future__ import annotations

from typing import Any

import pytest

from messaging.delegation.kind import CoordinatorKind
from messaging.delegation.modes import THINKING, Routing
from messaging.delegation.settings import CoordinatorSettings
from workforce.kinds import get_kind, worker_kinds
from workforce.roster import Roster, bind_roster
from workforce.toolsets import tool_names
from workforce.tree.records import Record


def bind(**keys: Any) -> Roster:
    """Bind a coordinator with these keys, on a roster with a scout and a clerk."""
    declared = {"description": "Leads.", "flow": "coordinator", **keys}
    others = [Record(id, f"{id}/WORKER.md", {"description": "Helps."}, "") for id in ("scout", "clerk")]
    return bind_roster(
        workers=[Record("lead", "lead/WORKER.md", declared, ""), *others],
        teams=[],
        documents=[],
        kinds=worker_kinds(),
        all_kinds=list(worker_kinds()),
        tools=tool_names(),
        boards=[],
    )


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"delegates": []},
        {"routing": "judgment", "delegates": ["scout"]},
        {"routing": "best-fit", "delegates": ["scout", "clerk"], "fallback": "clerk", "minConfidence": 0.5},
        {"routing": "best-fit", "delegates": ["scout"], "minConfidence": 0},
        {"routing": "best-fit", "delegates": ["scout"], "minConfidence": 1},
        {"routing": "round-robin", "delegates": ["scout"], "rounds": 3},
        {"routing": "everyone", "delegates": ["scout"], "rounds": 0},
        {"delegates": ["scout"], "tools": ["addDelegate", "listDelegates", "removeDelegate", "setFallback"]},
        {"model": "test:x", "discover": ["seats"], "resources": []},
    ],
)
def test_bind__takes(keys: dict[str, Any]) -> None:
    roster = bind(**keys)
    assert roster.refusals == ()
    (seat,) = (seat for seat in roster.seats if seat.id == "lead")
    assert (seat.kind, seat.settings, seat.hears_posts, seat.takes_tasks) == (
        "coordinator",
        keys,
        True,
        False,
    )


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"routing": "best"}, "routing: must be 'judgment', 'best-fit', 'round-robin' or 'everyone'"),
        ({"routing": None}, "routing: is empty; write a value or drop the key"),
        ({"delegates": ["scout", "scout"]}, "delegates: lists 'scout' twice; once is enough"),
        ({"delegates": ["skout"]}, "delegates: unknown worker 'skout' (did you mean 'scout'?); known:"),
        ({"delegates": "scout"}, "delegates: must be a list"),
        (
            {"delegates": ["scout"], "fallback": "clerk"},
            "fallback: 'clerk' is not among the delegates; known: 'scout'",
        ),
        ({"fallback": "clerk"}, "fallback: 'clerk' is not among the delegates; known: none"),
        (
            {"delegates": ["scout"], "fallback": "klerk"},
            "fallback: unknown worker 'klerk' (did you mean 'clerk'?)",
        ),
        (
            {"minConfidence": 0.5},
            "minConfidence: is for 'routing: best-fit' only; drop it, or change the routing",
        ),
        ({"routing": "everyone", "minConfidence": 0.5}, "minConfidence: is for 'routing: best-fit' only"),
        ({"routing": "best-fit", "minConfidence": 1.1}, "minConfidence: must be at most 1"),
        ({"routing": "best-fit", "minConfidence": -0.1}, "minConfidence: must be at least 0"),
        ({"routing": "best-fit", "minConfidence": "high"}, "minConfidence: must be a number"),
        ({"routing": "best-fit", "minConfidence": True}, "minConfidence: must be a number"),
        ({"routing": "best-fit", "minConfidence": float("nan")}, "minConfidence: must be a"),
        ({"rounds": 4}, "rounds: must be at most 3"),
        ({"rounds": -1}, "rounds: must be at least 0"),
        ({"rounds": 1.5}, "rounds: must be a whole number"),
        ({"drains": []}, "unknown key 'drains'"),
        ({"round": 1}, "unknown key 'round' (did you mean 'rounds'?)"),
    ],
)
def test_bind__refuses_in_words(keys: dict[str, Any], words: str) -> None:
    (refusal,) = bind(**keys).refusals
    assert refusal.id == "lead"
    assert refusal.message.startswith(words)


def test_bind__says_everything_that_is_wrong_at_once() -> None:
    roster = bind(
        routing="everyone", minConfidence=2, rounds=9, delegates=["skout"], fallback="clerk", tool=[]
    )
    paths = sorted(refusal.message.partition(":")[0] for refusal in roster.refusals)
    assert paths[:4] == ["delegates", "fallback", "minConfidence", "rounds"]
    assert [path.partition("(")[0] for path in paths[4:]] == ["unknown key 'tool' "]


def test_bind__takes_25_delegates_and_no_more() -> None:
    def load(count: int) -> Roster:
        ids = [f"w{number}" for number in range(count)]
        declared = {"description": "Leads.", "flow": "coordinator", "delegates": ids}
        workers = [Record(id, f"{id}/WORKER.md", {"description": "Helps."}, "") for id in ids]
        return bind_roster(
            workers=[Record("lead", "lead/WORKER.md", declared, ""), *workers],
            teams=[], documents=[], kinds=worker_kinds(), all_kinds=list(worker_kinds()), tools=[], boards=[],
        )  # fmt: skip

    assert load(25).refusals == ()
    assert [refusal.message for refusal in load(26).refusals] == ["delegates: has more than 25 entries"]


def test_kind__is_what_it_declares() -> None:
    kind = get_kind("coordinator")
    assert isinstance(kind, CoordinatorKind)
    assert (kind.hears_posts, kind.hears_messages, kind.takes_tasks, kind.takes_posts) == (
        True,
        True,
        False,
        False,
    )
    assert kind.hears_endings and kind.sends_messages
    public = sorted(action.name for action in kind.actions.values() if action.public)
    assert public == ["addDelegate", "listDelegates", "removeDelegate", "run", "setFallback"]


@pytest.mark.parametrize("routing", list(Routing))
def test_kind__takes_turns_by_judgment_and_best_fit_alone(routing: Routing) -> None:
    settings = CoordinatorSettings(routing=str(routing))  # type: ignore[arg-type]
    assert get_kind("coordinator").takes_turns(settings) is (routing in THINKING)  # type: ignore[attr-defined]
