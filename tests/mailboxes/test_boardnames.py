"""The rule for names of boards, and what board ids and tool names are made of."""

from __future__ import annotations

import pytest

from mailboxes.boardnames import (
    board_id,
    board_suffix,
    check_board_name,
    check_board_tools,
    declared_board_ids,
)
from workforce.tree.records import Record

LONGEST_FITTING = 64 - len("completeTask_")


@pytest.mark.parametrize(
    "name",
    ["triage", "Triage", "to-do", "to_do", "überfällig", "a", "9", "x!y", "a" * 64, "toString", "proto"],
)
def test_check_board_name__accepts(name: str) -> None:
    assert check_board_name(name) is None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "empty"),
        (" ", "white space"),
        ("to do", "white space"),
        ("to\tdo", "white space"),
        ("to\u00a0do", "white space"),
        ("triage\n", "white space"),
        ("a.b", "'.'"),
        ("a/b", "'/'"),
        ("*", "'*'"),
        ("a[0]", "'[', ']'"),
        ("__proto__", "reserved"),
        ("prototype", "reserved"),
        ("constructor", "reserved"),
        ("a" * 65, "65 characters; at most 64"),
        ("a\x00b", "control character"),
        ("a\x7fb", "control character"),
        ("a\x9fb", "control character"),
        ("a\ud800b", "control character"),
    ],
)
def test_check_board_name__refuses(name: str, why: str) -> None:
    problem = check_board_name(name)
    assert problem is not None
    assert why in problem
    assert "\n" not in problem


@pytest.mark.parametrize(
    ("board", "suffix"),
    [
        ("engineering.support.triage", "engineering_support_triage"),
        ("a-b.c-d.e_f", "a-b_c-d_e_f"),
        ("a.b.x!?ü", "a_b_x___"),
    ],
)
def test_board_suffix__turns_what_tools_cannot_be_named_with(board: str, suffix: str) -> None:
    assert board_suffix(board) == suffix


def test_check_board_tools__counts_the_longest_tool() -> None:
    fits, over = "b" * LONGEST_FITTING, "b" * (LONGEST_FITTING + 1)
    assert check_board_tools(fits, ["addTask", "completeTask"]) is None
    assert check_board_tools(over, ["addTask"]) is None
    problem = check_board_tools(over, ["addTask", "completeTask"])
    assert problem is not None
    assert f"completeTask_{over}" in problem
    assert "65 characters" in problem


def test_check_board_tools__no_tools_have_no_names() -> None:
    assert check_board_tools("b" * 200, []) is None


def test_declared_board_ids__are_sorted_and_sound() -> None:
    records = [
        Record("b.two", "", {"boards": ["z", "a", "a", "no good", 3, None]}, ""),
        Record("a.one", "", {"boards": ["q"]}, ""),
        Record("a.none", "", {}, ""),
        Record("a.odd", "", {"boards": "q"}, ""),
        Record("a.room", "", {"boards": ["q"], "mintFor": "projects"}, ""),
    ]
    assert declared_board_ids(records) == ["a.one.q", "b.two.a", "b.two.z"]
    assert board_id("a.one", "q") == "a.one.q"
