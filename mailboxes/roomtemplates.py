"""Room templates: a MAILBOX.md with mintFor, or projects.yaml. See docs/rooms.md."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from mailboxes.declarations import RoomTemplate
from workforce.names import is_seat_id
from workforce.refusals import (
    UNSTORABLE,
    is_blank,
    is_storable,
    listed,
    repeats,
    shape_problem,
    strings_problem,
)
from workforce.tree.records import Record
from workforce.vocabulary import Vocabulary

#: The collections that a template can mint rooms for. Projects are always declared.
COLLECTIONS = ("projects",)

_NOT_BESIDE = ("flow", "boards", "routing", "boardActions")


def is_template(record: Record) -> bool:
    """Whether a MAILBOX.md declares a room template instead of a mailbox."""
    return "mintFor" in record.declared


def check_template_file(record: Record, hearing_seats: Collection[str]) -> str | None:
    """The first thing wrong with a MAILBOX.md as a template; None when it is sound or no template."""
    if not is_template(record):
        return None
    problem = _collection_problem(record.declared["mintFor"])
    if problem:
        return f"mintFor: {problem}"
    beside = [key for key in _NOT_BESIDE if key in record.declared]
    if beside:
        return f"has {listed(beside)} beside 'mintFor'; a room template takes none of them, so drop them"
    seats = record.declared.get("members", [])
    return next((f"members: {problem}" for problem in seat_problems(seats, hearing_seats)), None)


def template_of(record: Record, charter: str) -> RoomTemplate:
    """The template that a sound MAILBOX.md declares."""
    return RoomTemplate(record.id, tuple(record.declared.get("members", ())), charter)


def site_of(projects: Record) -> str:
    """The name under which problems of projects.yaml are reported: its path."""
    return projects.path or projects.id


def projects_template(projects: Record) -> RoomTemplate | None:
    """The template that a sound projects.yaml declares; None when it has no ``talk``."""
    talk = projects.declared.get("talk")
    if talk is None:
        return None
    return RoomTemplate(site_of(projects), tuple(talk["seats"]), talk.get("charter", ""))


def projects_problems(projects: Record, hearing_seats: Collection[str]) -> list[str]:
    """Every problem of projects.yaml, whose whole shape is ``{talk?: {seats, charter?}}``."""
    declared = projects.declared
    problems = _unknown_keys(declared, ("talk",), "")
    if "talk" not in declared:
        return problems
    talk = declared["talk"]
    if not isinstance(talk, dict):
        return [*problems, f"talk: {shape_problem(talk, 'a mapping with seats and charter')}"]
    problems += _unknown_keys(talk, ("seats", "charter"), "talk: ")
    if "seats" not in talk:
        problems.append("talk.seats: is required; list the seats that a post wakes, or write []")
    elif problem := strings_problem(talk["seats"], "a list of seat ids"):
        problems.append(f"talk.seats: {problem}")
    else:
        problems += [f"talk.seats: {problem}" for problem in seat_problems(talk["seats"], hearing_seats)]
    return problems + _charter_problems(talk)


def seat_problems(seats: list[str], hearing_seats: Collection[str]) -> list[str]:
    """What is wrong with a template's seats: no seat ids, listed twice, or not able to hear posts."""
    problems = []
    malformed = [seat for seat in dict.fromkeys(seats) if not is_seat_id(seat)]
    if malformed:
        problems.append(
            f"{listed(malformed)}: no seat id; write <team>.<worker>, or <worker> for an org's own"
        )
    twice = repeats(seats)
    if twice:
        problems.append(f"lists {listed(twice)} more than once; once is enough")
    wrong = set(malformed)
    deaf = [seat for seat in dict.fromkeys(seats) if seat not in wrong and seat not in hearing_seats]
    if deaf:
        problems.append(
            f"{listed(deaf)}: no seat in this load that hears posts; add a worker of that id, "
            "of a kind that hears posts, or take it out"
        )
    return problems


def _collection_problem(value: object) -> str | None:
    if not isinstance(value, str):
        return shape_problem(value, "the name of a collection")
    if is_blank(value):
        return "is blank; name a collection, 'projects'"
    return None if value in COLLECTIONS else Vocabulary("collection", COLLECTIONS).refuse([value])


def _unknown_keys(declared: dict[str, Any], known: tuple[str, ...], prefix: str) -> list[str]:
    unknown = [key for key in declared if key not in known]
    return [prefix + Vocabulary("key", known).refuse(unknown)] if unknown else []


def _charter_problems(talk: dict[str, Any]) -> list[str]:
    charter = talk.get("charter", "")
    if not isinstance(charter, str):
        return [f"talk.charter: {shape_problem(charter, 'a string')}"]
    return [] if is_storable(charter) else [f"talk.charter: {UNSTORABLE}"]
