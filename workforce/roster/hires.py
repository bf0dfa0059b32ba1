"""What a user's own hire becomes, or why not: judged like a file. See docs/workers.md."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from workforce.kinds.base import WorkerKind
from workforce.refusals import is_blank, is_storable
from workforce.roster.faults import Fault
from workforce.roster.judging import (
    REFUSED_KEYS,
    Flows,
    description_faults,
    instructions_faults,
    judge_keys,
)
from workforce.roster.references import References
from workforce.roster.settings import COMMON_KEYS

MAX_ID_LENGTH = 130
#: As for a file: description, instructions and settings together, in bytes.
MAX_SIZE = 256 * 1024
#: No kind takes nearly as many settings; more are not even looked at.
MAX_KEYS = 100

_MENDS = {
    **REFUSED_KEYS,
    "id": "stands beside 'settings', not in them",
    "persona": "is not a key any more; write it in 'instructions'",
    "teamInstructions": "is not a worker's key; write it in 'instructions'",
    **dict.fromkeys(COMMON_KEYS, "stands beside 'settings', not in them"),
}


@dataclass(frozen=True, slots=True)
class Hire:
    """What a user says of a worker. ``flow`` and ``description`` are None when nothing was said."""

    flow: str | None = None
    description: str | None = None
    instructions: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    #: Of a fork: the team of its origin, whose documents it may name.
    team: str = ""


@dataclass(frozen=True, slots=True)
class JudgedHire:
    """The kind and the settings to keep, or every fault."""

    kind: WorkerKind | None
    stored: dict[str, Any]
    faults: list[Fault]


def judge_hire(hire: Hire, *, flows: Flows, references: References) -> JudgedHire:
    """Judge a worker that a user hires, by the rules of files. Reports, never raises.

    Paths of faults begin with ``settings`` where they are about a setting.
    """
    stored: object = hire.settings
    if not isinstance(stored, Mapping):  # of a row that somebody broke
        return JudgedHire(
            None, {}, [*_text_faults(hire), Fault("settings", "are stored as no object; give them anew")]
        )
    if len(hire.settings) > MAX_KEYS:
        return JudgedHire(
            None, {}, [*_text_faults(hire), Fault("settings", f"has more than {MAX_KEYS} keys")]
        )
    declared = {key: value for key, value in hire.settings.items() if key not in COMMON_KEYS}
    if hire.flow is not None:
        declared["flow"] = hire.flow
    # A user's worker is in no team by its id, whatever that looks like.
    judged = judge_keys(declared, flows=flows, references=references, team=hire.team, refused=REFUSED_KEYS)
    faults = [*_text_faults(hire), *_key_faults(hire), *map(_in_settings, judged.faults)]
    return JudgedHire(judged.kind, judged.stored, faults)


def id_faults(worker_id: str) -> Iterator[Fault]:
    """What is wrong with the id of a worker that a user hires: it is one segment of a path."""
    if not worker_id or worker_id in (".", ".."):
        yield Fault("id", "must be one segment of a path, such as 'my-analyst'")
    elif len(worker_id) > MAX_ID_LENGTH:
        yield Fault("id", f"has more than {MAX_ID_LENGTH} characters")
    elif worker_id.startswith("~"):
        yield Fault("id", "must not start with '~'")
    elif "/" in worker_id or "\\" in worker_id:
        yield Fault("id", "must be one segment of a path, without a slash")
    elif not worker_id.isprintable() or worker_id != worker_id.strip():
        yield Fault("id", "must be printable, without blanks at its ends")


def _text_faults(hire: Hire) -> Iterator[Fault]:
    if hire.description is not None:
        yield from description_faults(hire.description)
    yield from instructions_faults(hire.instructions)
    size = _size(hire)
    if size is not None and size > MAX_SIZE:
        yield Fault(
            "",
            f"description, instructions and settings are {size:,} bytes together; "
            f"the limit is 256 KiB ({MAX_SIZE:,} bytes), as for files",
        )


def _size(hire: Hire) -> int | None:
    """The size in bytes; None when it cannot be told because something else is wrong."""
    texts = f"{hire.description or ''}{hire.instructions}"
    try:
        return len(f"{texts}{json.dumps(hire.settings, ensure_ascii=False)}".encode())
    except (TypeError, ValueError, RecursionError):
        return None


def _key_faults(hire: Hire) -> Iterator[Fault]:
    for key in hire.settings:
        if key == "instructions" and not is_blank(hire.instructions):
            yield Fault(
                "settings.instructions",
                "stands in 'settings' too; keep the one beside 'settings', and drop this",
            )
        elif key in _MENDS:
            yield Fault(f"settings.{key}", _MENDS[key])


def _in_settings(fault: Fault) -> Fault:
    if fault.path == "flow":
        return fault
    return Fault(f"settings.{fault.path}" if fault.path else "settings", fault.words)


def is_sayable(worker_id: str) -> bool:
    """Whether a database could hold the id at all, so that it may be looked up."""
    return len(worker_id) <= MAX_ID_LENGTH and is_storable(worker_id)
