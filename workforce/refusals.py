"""What binding refuses, and words safe to print on one line. See docs/mailboxes.md and docs/tree.md."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workforce.names import printable
from workforce.texts import is_blank as is_blank

_SHOWN = 100
_LISTED = 40
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

EMPTY = "is empty; write a value or drop the key"
UNSTORABLE = "holds a NUL or half of a surrogate pair, which cannot be stored; take it out"


@dataclass(frozen=True, slots=True, order=True)
class Refusal:
    """One reason why a record was not bound: the record's id, what is wrong with it, and the mend."""

    id: str
    message: str


def refusal_lines(refusals: Sequence[Refusal], declared: int) -> str:
    """A header with the number of problems and of declarations, then a line for each problem.

    Empty when nothing was refused.
    """
    if not refusals:
        return ""
    problems = _counted(len(refusals), "problem")
    header = f"{problems} in {_counted(declared, 'declaration')}; nothing was stored:"
    return "\n".join([header, *(f"{refusal.id}: {refusal.message}" for refusal in refusals)])


def quoted(word: object) -> str:
    """The word in quotes, on one line and at most a hundred characters long."""
    try:
        text = str(word)
    except ValueError:  # an integer too long for decimal digits, which YAML's hexadecimal form admits
        text = "a very long number"
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return f"'{printable(shown)}'"


def listed(words: Iterable[object]) -> str:
    """The words in quotes, with commas; past forty, how many more there are."""
    every = list(words)
    shown = ", ".join(quoted(word) for word in every[:_LISTED])
    more = len(every) - _LISTED
    return (f"{shown} and {more} more" if more > 0 else shown) or "none"


def repeats(words: Iterable[str]) -> list[str]:
    """The words that come more than once, each named once, in the order of their first repeat."""
    seen: set[str] = set()
    found: dict[str, None] = {}
    for word in words:
        if word in seen:
            found[word] = None
        seen.add(word)
    return list(found)


def is_storable(text: str) -> bool:
    """Whether a database can hold the text: no NUL and no lone surrogate."""
    return _UNSTORABLE.search(text) is None


def shape_problem(value: object, wanted: str) -> str:
    """What to say of a value of another type than the ``wanted`` one."""
    if value is None:
        return EMPTY
    return f"must be {wanted}, not {_named_type(value)}"


def strings_problem(value: object, wanted: str) -> str | None:
    """What is wrong with a value that must be ``wanted``, a list of strings; None when it is."""
    if not isinstance(value, list):
        return shape_problem(value, wanted)
    wrong = next((place for place, entry in enumerate(value) if not isinstance(entry, str)), None)
    if wrong is None:
        return None
    entry = "is empty" if value[wrong] is None else f"is {_named_type(value[wrong])}"
    return f"must be {wanted}; entry {wrong + 1} {entry}"


def _named_type(value: object) -> str:
    names: dict[type, str] = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "a string",
        list: "a list",
        dict: "a mapping",
    }
    return names.get(type(value), f"a {type(value).__name__}")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
