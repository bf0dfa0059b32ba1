"""Folder names, and the ids that are dot-joined from them. See docs/tree.md."""

from __future__ import annotations

import re

MAX_NAME_LENGTH = 64

_PATTERN = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_WORD = re.compile(r"[A-Za-z0-9._~-]+")
_RESERVED = frozenset({"_meta"})
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul"}
    | {f"com{number}" for number in range(1, 10)}
    | {f"lpt{number}" for number in range(1, 10)}
)
_RULE = f"use lowercase letters, digits and single hyphens between them, at most {MAX_NAME_LENGTH} characters"
_WHY = "the id is dot-joined from the folder names"


def printable(text: str) -> str:
    """``text`` on one line and encodable as UTF-8: bytes that are no UTF-8 and control characters escaped."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text
    )


def check_name(kind_of_folder: str, name: str) -> str | None:
    """None when ``name`` may be used, else one sentence with the kind of folder, the name, the rule and why.

    ``kind_of_folder`` is the subject of the sentence (``"mailbox folder"``). Checked in the order
    length, reserved, device name, pattern.
    """
    fault = _name_fault(name)
    if fault is None:
        return None
    subject = kind_of_folder[:1].upper() + kind_of_folder[1:]
    return f"{subject} name '{printable(name)}' {fault}; {_RULE} ({_WHY})"


def is_name(name: str) -> bool:
    """Whether a folder may be called this."""
    return _name_fault(name) is None


def team_of(id: str) -> str | None:
    """The team of ``team.name``: what stands before the first dot; None for a dotless id."""
    team, dot, _ = id.partition(".")
    return team if dot else None


def local_name(id: str) -> str:
    """The part of an id after its team: what stands after the first dot, or the whole of a dotless id."""
    before, dot, after = id.partition(".")
    return after if dot else before


def is_seat_id(id: str) -> bool:
    """Whether ``id`` is ``team.seat``, or a dotless ``seat`` of the organization, each part by the rule."""
    team = team_of(id)
    return (team is None or is_name(team)) and is_name(local_name(id))


def is_mailbox_id(id: str) -> bool:
    """Whether ``id`` is ``team.name``, each part by the rule."""
    return team_of(id) is not None and is_seat_id(id)


def is_word(id: str) -> bool:
    """Whether an id is one word that says nothing: only such a one stands among the server's words to a model.

    What users call their own workers may have blanks, or be a sentence.
    """
    return _WORD.fullmatch(id) is not None


def _name_fault(name: str) -> str | None:
    if len(name) > MAX_NAME_LENGTH:
        return f"is {len(name)} characters long"
    if name in _RESERVED:
        return "is reserved"
    if name in _DEVICES:
        return "is a device name on Windows"
    if not _PATTERN.fullmatch(name):
        return "breaks the rule for names"
    return None
