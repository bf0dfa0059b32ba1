"""A worker's settings: every wrong shape by its path, and every name of something that is not there."""

from __future__ import annotations

from typing import Any

import pytest

from tests.workforce.rosters import EMPTY, KINDS, bind, problem, worker
from workforce.refusals import Refusal
from workforce.roster import bind_roster

SETTINGS: list[tuple[dict[str, Any], str, str]] = [
    *(({key: None}, f"{key}: ", EMPTY) for key in ("model", "tools", "drains", "boardTools", "concurrency")),
    *(({key: None}, f"{key}: ", EMPTY) for key in ("delegates", "resources", "discover")),
    ({"model": 3}, "model: ", "must be a string"),
    ({"model": " "}, "model: ", "is blank"),
    ({"model": "a\x00"}, "its settings cannot be stored as JSON: ", "NUL"),
    ({"tools": "file-task"}, "tools: ", "must be a list"),
    ({"tools": ["file-task", 3]}, "tools[1]: ", "must be a string"),
    ({"tools": ["file-task", None]}, "tools[1]: ", EMPTY),
    ({"tools": ["file-task", "file-task"]}, "tools: ", "lists 'file-task' twice"),
    ({"boardTools": ["eng.support.later"] * 2}, "boardTools: ", "twice"),
    ({"drains": {"a": 1}}, "drains: ", "must be a list"),
    ({"concurrency": 0}, "concurrency: ", "must be at least 1"),
    ({"concurrency": 101}, "concurrency: ", "must be at most 100"),
    ({"concurrency": "2"}, "concurrency: ", "must be a whole number"),
    ({"concurrency": True}, "concurrency: ", "must be a whole number"),
    ({"concurrency": 1.5}, "concurrency: ", "must be a whole number"),
    ({"discover": ["seats", "boards"]}, "discover[1]: ", "must be 'mailboxes' or 'seats'"),
    ({"discover": ["channels"]}, "discover: ", "called 'mailboxes' now"),
    ({"discover": ["seats", "seats"]}, "discover: ", "twice"),
    ({"tool": []}, "unknown key 'tool' ", "did you mean 'tools'?"),
    ({"board_tools": []}, "unknown key 'board_tools' ", "did you mean 'boardTools'?"),
    ({"descripton": ""}, "unknown key 'descripton' ", "did you mean 'description'?"),
    ({"fallback": "x"}, "unknown key 'fallback'", "'fallback' is for a worker with 'flow: coordinator'"),
    ({"flow": "handler"}, "handler: ", "is required"),
    ({"flow": "handler", "handler": "x"}, "handler: ", "has fewer than 2 characters"),
    (
        {"flow": "handler", "handler": "xy", "options": [float("nan")]},
        "its settings cannot be stored",
        "JSON",
    ),
    ({"flow": "handler", "handler": "xy", "options": {1: 2}}, "its settings cannot be stored", "the key '1'"),
    ({"flow": "handler", "handler": "xy", "options": {"a": ["\ud800"]}}, "its settings cannot be stored", ""),
    ({"flow": "coordinator", "minConfidence": 2.0}, "minConfidence: ", "must be at most 1"),
    ({"flow": "coordinator", "minConfidence": "x"}, "minConfidence: ", "must be a number"),
    ({"flow": "coordinator", "routing": "nonsense"}, "its settings: ", "routing makes no sense"),
]


@pytest.mark.parametrize(("declared", "start", "words"), SETTINGS)
def test_bind__refuses_the_setting(declared: dict[str, Any], start: str, words: str) -> None:
    message = problem(**declared)
    assert message.startswith(start)
    assert words in message


def test_bind__refuses_too_many_delegates() -> None:
    ids = [f"eng.d{number}" for number in range(26)]
    roster = bind(worker(delegates=ids), *(worker(id) for id in ids))
    assert roster.refusals == (Refusal("eng.lead", "delegates: has more than 25 entries"),)
    assert bind(worker(delegates=ids[1:]), *(worker(id) for id in ids)).refusals == ()


REFERENCES: list[tuple[dict[str, Any], str]] = [
    (
        {"tools": ["file-tsk"]},
        "tools: unknown tool 'file-tsk' (did you mean 'file-task'?); known: 'file-task', ",
    ),
    ({"tools": ["post-to-channel"]}, "tools: 'post-to-channel' is called 'post-to-mailbox' now"),
    ({"tools": ["channels"]}, "tools: 'channels' is called 'mailboxes' now"),
    (
        {"drains": ["eng.support.triag"]},
        "drains: unknown board 'eng.support.triag' (did you mean 'eng.support.triage'",
    ),
    ({"boardTools": ["triage", "nope"]}, "boardTools: unknown board 'triage'"),
    (
        {"boardTools": ["eng.support.a!b", "eng.support.a?b"]},
        "boardTools: 'eng.support.a!b', 'eng.support.a?b' would give tools of one name",
    ),
    (
        {"resources": ["runbook"]},
        "resources: unknown document 'runbook' (did you mean 'handbook'?); known: 'eng.guide', 'guide', ",
    ),
    ({"resources": ["ops.runbook"]}, "resources: unknown document 'ops.runbook'"),
    ({"delegates": ["analyst"]}, "delegates: unknown worker 'analyst'"),
    (
        {"flow": "coordinator", "delegates": ["eng.analyst"], "fallback": "eng.x"},
        "fallback: unknown worker 'eng.x'",
    ),
    (
        {"flow": "coordinator", "delegates": ["eng.analyst"], "fallback": "ops.night"},
        "fallback: 'ops.night' is not among the delegates; known: 'eng.analyst'",
    ),
]


@pytest.mark.parametrize(("declared", "start"), REFERENCES)
def test_bind__refuses_what_is_not_there(declared: dict[str, Any], start: str) -> None:
    assert problem(**declared).startswith(start)


def test_bind__refuses_board_tools_with_too_long_names() -> None:
    long = "eng.support." + "b" * (64 - len("completeTask_eng_support_") + 1)
    roster = bind_roster(
        workers=[worker(boardTools=[long], drains=[long])],
        teams=[],
        documents=[],
        kinds=KINDS,
        all_kinds=KINDS,
        tools=[],
        boards=[long],
        board_tool_names=["addTask", "completeTask"],
    )
    assert len(roster.refusals) == 1
    assert "65 characters" in roster.refusals[0].message
