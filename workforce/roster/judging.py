"""Judging one worker, whether a file or a user declares it. See docs/tree.md and docs/workers.md."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from workforce.kinds.base import WorkerKind
from workforce.refusals import UNSTORABLE, is_blank, is_storable, quoted, shape_problem
from workforce.roster.faults import Fault
from workforce.roster.references import References, named_by
from workforce.roster.settings import judge_settings
from workforce.vocabulary import Vocabulary

DEFAULT_KIND = "agent"

#: Keys that no worker has, each with the mend.
REFUSED_KEYS = {
    "id": "is decided by where the folder stands; drop the key",
    "persona": "is not a key any more; write it in the body, which is the worker's instructions",
    "seatSkills": "is not a key any more; name documents under 'resources'",
    "seatTools": "is not a key any more; name tools under 'tools'",
    "teamInstructions": "is not a worker's key; write it in the body of the team's TEAM.md",
}


class Flows:
    """The kinds of one judgement: those a worker can have, and the names of all that are registered."""

    def __init__(self, kinds: Mapping[str, WorkerKind], all_kinds: Collection[str]) -> None:
        self.kinds = kinds
        self._all_kinds = frozenset(all_kinds)
        self._vocabulary = Vocabulary("flow", list(kinds))

    def find(self, flow: object) -> WorkerKind | Fault:
        """The kind of this name, or why there is none."""
        if not isinstance(flow, str):
            return Fault("flow", shape_problem(flow, "the name of a worker kind"))
        if is_blank(flow):
            return Fault("flow", "is blank; name a worker kind, or drop the key for an agent")
        if flow in self.kinds:
            return self.kinds[flow]
        if flow not in self._all_kinds:
            return Fault("flow", self._vocabulary.refuse([flow]))
        known = ", ".join(quoted(name) for name in sorted(self.kinds)) or "none"
        return Fault("flow", f"{quoted(flow)} is a kind, but not one that a worker can have; known: {known}")


@dataclass(frozen=True, slots=True)
class JudgedKeys:
    """What a worker's flow and settings are: its kind when it is known, and what is kept of the settings."""

    kind: WorkerKind | None
    stored: dict[str, Any]
    faults: list[Fault]


def judge_keys(
    declared: Mapping[str, Any], *, flows: Flows, references: References, team: str, refused: Collection[str]
) -> JudgedKeys:
    """Judge the flow and the settings among the keys of a worker of this team (or of none). Never raises.

    Keys in ``refused`` were judged already and are passed over.
    """
    kind = flows.find(declared.get("flow", DEFAULT_KIND))
    if isinstance(kind, Fault):
        return JudgedKeys(None, {}, [kind])
    judged = judge_settings(kind, declared, flows.kinds, refused)
    named = references.problems(team, named_by(judged, kind.settings))
    return JudgedKeys(kind, judged.stored, [*judged.problems, *named])


def description_faults(description: object) -> Iterator[Fault]:
    """What is wrong with a description that is there."""
    if not isinstance(description, str):
        yield Fault("description", shape_problem(description, "a string"))
    elif is_blank(description):
        yield Fault("description", "is blank; say in a sentence what the worker is for")
    elif not is_storable(description):
        yield Fault("description", UNSTORABLE)


def instructions_faults(instructions: object) -> Iterator[Fault]:
    """What is wrong with instructions that are there."""
    if not isinstance(instructions, str):
        yield Fault("instructions", shape_problem(instructions, "a string"))
    elif not is_storable(instructions):
        yield Fault("instructions", UNSTORABLE)
