from __future__ import annotations

import pytest

from workforce.names import (
    check_name,
    is_mailbox_id,
    is_name,
    is_seat_id,
    is_word,
    local_name,
    printable,
    team_of,
)

GOOD = ["a", "0", "support", "a1-b2-c3", "com0", "lpt0", "com10", "con-1", "a" * 64]
BAD = [
    "",
    "A",
    "Support",
    "a_b",
    "a.b",
    "a b",
    "-a",
    "a-",
    "a--b",
    "é",
    "a\n",
    "٣",
    "a/b",
    "__proto__",
    ".git",
]
DEVICES = ["con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))]


@pytest.mark.parametrize("name", GOOD)
def test_check_name__good(name: str) -> None:
    assert check_name("mailbox folder", name) is None
    assert is_name(name)


@pytest.mark.parametrize("name", BAD)
def test_check_name__breaks_the_pattern(name: str) -> None:
    words = check_name("mailbox folder", name)
    assert words is not None
    assert "breaks the rule" in words
    assert not is_name(name)


@pytest.mark.parametrize("name", DEVICES)
def test_check_name__device_name(name: str) -> None:
    words = check_name("team folder", name)
    assert words is not None
    assert "device name" in words
    assert not is_name(name)


def test_check_name__reserved() -> None:
    words = check_name("team folder", "_meta")
    assert words is not None
    assert "reserved" in words


def test_check_name__length_comes_before_pattern() -> None:
    words = check_name("team folder", "A" * 65)
    assert words is not None
    assert "is 65 characters long" in words
    assert "breaks the rule" not in words


def test_check_name__says_folder_name_rule_and_why() -> None:
    words = check_name("mailbox folder", "Bad_One")
    assert words is not None
    assert words.startswith("Mailbox folder name 'Bad_One' ")
    assert "lowercase letters, digits and single hyphens" in words
    assert "at most 64 characters" in words
    assert "dot-joined" in words


@pytest.mark.parametrize(
    ("id", "team", "name", "seat", "mailbox"),
    [
        ("support.triage", "support", "triage", True, True),
        ("triage", None, "triage", True, False),
        ("a.b.c", "a", "b.c", False, False),
        (".b", "", "b", False, False),
        ("a.", "a", "", False, False),
        ("", None, "", False, False),
        ("con.b", "con", "b", False, False),
        ("a.nul", "a", "nul", False, False),
        ("A.b", "A", "b", False, False),
        ("~me", None, "~me", False, False),
    ],
)
def test_split_id__by_shape(id: str, team: str | None, name: str, seat: bool, mailbox: bool) -> None:
    assert team_of(id) == team
    assert local_name(id) == name
    assert is_seat_id(id) is seat
    assert is_mailbox_id(id) is mailbox


@pytest.mark.parametrize(
    ("text", "shown"),
    [("aé b", "aé b"), ("a\udcff", "a\\udcff"), ("a\nb", "a\\nb"), ("\x1b[2J", "\\x1b[2J")],
)
def test_printable__one_line_of_utf8(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert printable(text).encode("utf-8")


@pytest.mark.parametrize(
    ("id", "word"),
    [("support.lead", True), ("My_Lead~2", True), ("my lead", False), ("a\nb", False), ("é", False), ("", False),
     ('a"b', False), ("a:b", False)],
)  # fmt: skip
def test_is_word(id: str, word: bool) -> None:
    assert is_word(id) is word
