"""Hiring from files: what a worker file becomes, and every problem of the roster at once."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workforce.rosters import EMPTY, KINDS, PURPOSE, bind, problem, problems, seat, worker
from workforce.kinds.agent_settings import AgentSettings
from workforce.roster import Roster, SeatDeclaration
from workforce.tree.records import Record


def test_bind__hires_an_agent_by_default() -> None:
    assert seat(worker()) == SeatDeclaration(
        id="eng.lead",
        kind="agent",
        description=PURPOSE,
        instructions="",
        team_instructions="",
        settings={},
        hears_posts=True,
        takes_tasks=True,
    )


def test_bind__nothing_yields_nothing() -> None:
    assert bind() == Roster((), (), frozenset(), 0)
    assert bind().refusal_text() == ""


def test_bind__keeps_the_settings_as_declared() -> None:
    declared = {
        "model": "offline:extract",
        "tools": ["file-task"],
        "drains": ["eng.support.triage"],
        "boardTools": ["eng.support.triage", "eng.support.later"],
        "concurrency": 3,
        "delegates": ["eng.analyst"],
        "resources": ["handbook", "guide", "eng.guide"],
        "discover": ["seats"],
    }
    kept = seat(worker(flow="agent", **declared)).settings
    assert kept == declared
    assert AgentSettings.model_validate(kept).board_tools == declared["boardTools"]


@pytest.mark.parametrize(
    ("flow", "hears", "takes", "extra"),
    [
        ("agent", True, True, {}),
        ("coordinator", True, False, {}),
        ("handler", False, True, {"handler": "tidy"}),
    ],
)
def test_bind__tells_what_a_kind_can_do(flow: str, hears: bool, takes: bool, extra: dict[str, Any]) -> None:
    hired = seat(worker(flow=flow, **extra))
    assert (hired.kind, hired.hears_posts, hired.takes_tasks) == (flow, hears, takes)


@pytest.mark.parametrize(
    ("keys", "body", "instructions"),
    [
        ({}, "\n Be kind.\n", "\n Be kind.\n"),
        ({}, " \n", ""),
        ({"instructions": "Be kind."}, "", "Be kind."),
        ({"instructions": "Be kind."}, "\n\t", "Be kind."),
        ({"instructions": ""}, "", ""),
    ],
)
def test_bind__settles_the_instructions(keys: dict[str, Any], body: str, instructions: str) -> None:
    assert seat(worker("eng.lead", body, **keys)).instructions == instructions


def test_bind__gives_the_team_s_instructions() -> None:
    team = Record("eng", "teams/eng", {"description": "x"}, "We ship.\n")
    other = Record("ops", "teams/ops", {"description": "x"}, "We watch.\n")
    assert seat(worker("eng.lead", "I lead."), team, other).team_instructions == "We ship.\n"
    assert seat(worker("chief"), team, other).team_instructions == ""
    assert seat(worker(), Record("eng", "teams/eng", {}, " \n")).team_instructions == ""


def test_bind__refuses_an_id_declared_twice() -> None:
    roster = bind(
        worker("eng.lead", "", "b", flow="x"), worker("eng.lead", "", "a"), worker("eng.lead", "", "c")
    )
    assert [refusal.message for refusal in roster.refusals] == [
        "is declared twice, at 'a' and at 'b'; keep one",
        "is declared twice, at 'a' and at 'c'; keep one",
    ]
    assert len(roster.seats) == 1


@pytest.mark.parametrize("key", ["id", "persona", "seatSkills", "seatTools", "teamInstructions"])
def test_bind__refuses_keys_of_old(key: str) -> None:
    assert problem(**{key: None}).startswith(f"'{key}' is ")


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("description", None, EMPTY),
        ("description", 3, "must be a string, not a number"),
        ("description", " ", "is blank"),
        ("description", "a\x00", "NUL"),
        ("instructions", None, EMPTY),
        ("instructions", ["x"], "must be a string, not a list"),
        ("instructions", "\ud800", "surrogate"),
        ("flow", None, EMPTY),
        ("flow", "", "is blank"),
        ("flow", " \t", "is blank"),
        ("flow", 3, "must be the name of a worker kind, not a number"),
        ("flow", ["agent"], "not a list"),
        ("flow", " agent", "did you mean 'agent'?"),
        ("flow", "cordinator", "did you mean 'coordinator'?); known: 'agent', 'coordinator', 'handler'"),
        ("flow", "mailbox", "is a kind, but not one that a worker can have; known: 'agent'"),
    ],
)
def test_bind__refuses_the_common_key(key: str, value: Any, words: str) -> None:
    message = problem(**{key: value})
    assert message.startswith(f"{key}: ")
    assert words in message


def test_bind__refuses_a_missing_description() -> None:
    roster = bind(Record("eng.lead", "", {}, ""))
    assert [refusal.id for refusal in roster.refusals] == ["eng.lead"]
    assert roster.refusals[0].message.startswith("description: is required")


@pytest.mark.parametrize("value", ["x", "", None, 3])
def test_bind__refuses_instructions_beside_a_body(value: Any) -> None:
    assert problems(worker("eng.lead", "y", instructions=value)) == [
        "'instructions' stands beside a body; keep one of the two"
    ]


def test_bind__reads_documents_of_the_organization_and_of_the_own_team() -> None:
    assert bind(worker("chief", resources=["handbook"])).refusals == ()
    assert len(bind(worker("chief", resources=["guide", "eng.guide"])).refusals) == 1


def test_bind__takes_a_delegate_that_is_itself_refused() -> None:
    roster = bind(worker(delegates=["eng.analyst"]), worker("eng.analyst", flow="x"))
    assert [refusal.id for refusal in roster.refusals] == ["eng.analyst"]


def test_bind__reports_every_independent_problem_of_a_worker() -> None:
    found = problems(
        worker(
            "eng.lead",
            "x",
            instructions="y",
            persona="z",
            description="",
            tool=1,
            tools=["nope"],
            concurrency=0,
            drains=["q"],
        )
    )
    assert [message.split(" ")[0] for message in found] == [
        "'persona'",
        "description:",
        "'instructions'",
        "unknown",
        "concurrency:",
        "tools:",
        "drains:",
    ]


def test_bind__reports_every_worker_sorted_by_id() -> None:
    roster = bind(worker("z.z", tools=["x"]), worker("b.ok"), worker("a.a", flow="", id="q"))
    assert [refusal.id for refusal in roster.refusals] == ["a.a", "a.a", "z.z"]
    assert [seat.id for seat in roster.seats] == ["b.ok"]
    header, *lines = roster.refusal_text().splitlines()
    assert header == "3 problems in 3 declarations; nothing was stored:"
    assert [line.split(": ")[0] for line in lines] == ["a.a", "a.a", "z.z"]


def test_bind__tells_who_may_hear_posts() -> None:
    roster = bind(
        worker("a.agent"),
        worker("a.broken", tools=["nope"]),
        worker("a.mute", flow="handler", handler="tidy"),
        worker("a.unknown", flow="nope"),
    )
    assert roster.hearing == {"a.agent", "a.broken", "a.unknown"}


def test_bind__keeps_long_lists_short() -> None:
    roster = bind(*(worker(f"eng.w{number}") for number in range(500)), worker(delegates=["eng.w1x"]))
    assert "(did you mean 'eng.w1'" in roster.refusals[0].message
    assert roster.refusals[0].message.endswith("and 461 more")


def test_bind__two_thousand_in_a_moment() -> None:
    ids = [f"t{number % 50}.w{number}" for number in range(2_000)]
    started = perf_counter()
    assert len(bind(*(worker(id, tools=["file-task"], delegates=[ids[0]]) for id in ids)).seats) == 2_000
    assert len(bind(*(worker(id, tools=["x"], delegates=[id + "x"]) for id in ids)).refusals) == 4_000
    assert perf_counter() - started < 20


JSON_LIKE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from([*KINDS, "eng.lead"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text() | st.integers() | st.none(), inner, max_size=4)
    ),
    max_leaves=12,
)
KEYS = [
    "flow",
    "description",
    "instructions",
    "model",
    "tools",
    "drains",
    "boardTools",
    "concurrency",
    "delegates",
]
KEYS += ["resources", "discover", "fallback", "routing", "minConfidence", "handler", "options", "persona"]
DECLARED = st.dictionaries(
    st.sampled_from(KEYS) | st.text() | st.integers() | st.none(), JSON_LIKE, max_size=6
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["eng.lead", "chief", "b.x"]), DECLARED, st.text()), max_size=4))
def test_bind__never_raises(declared: list[tuple[str, dict[Any, Any], str]]) -> None:
    roster = bind(*(Record(id, "", {"description": PURPOSE, **keys}, body) for id, keys, body in declared))
    assert {id for id, _, _ in declared} == {seat.id for seat in roster.seats} | {
        refusal.id for refusal in roster.refusals
    }
    assert len(roster.refusal_text().splitlines()) == (len(roster.refusals) + 1 if roster.refusals else 0)
