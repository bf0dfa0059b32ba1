"""Bind the workers of a tree: all sound, or every problem at once. See docs/tree.md."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from workforce.kinds.base import WorkerKind
from workforce.names import team_of
from workforce.refusals import UNSTORABLE, Refusal, is_blank, is_storable, quoted, shape_problem
from workforce.roster.declarations import Roster, SeatDeclaration
from workforce.roster.references import References, named_by
from workforce.roster.settings import judge_settings
from workforce.tree.records import Record
from workforce.vocabulary import Vocabulary

DEFAULT_KIND = "agent"

_REFUSED = {
    "id": "is decided by where the folder stands; drop the key",
    "persona": "is not a key any more; write it in the body, which is the worker's instructions",
    "seatSkills": "is not a key any more; name documents under 'resources'",
    "seatTools": "is not a key any more; name tools under 'tools'",
    "teamInstructions": "is not a worker's key; write it in the body of the team's TEAM.md",
}


def bind_roster(
    *,
    workers: Sequence[Record],
    teams: Sequence[Record],
    documents: Sequence[Record],
    kinds: Mapping[str, WorkerKind],
    all_kinds: Collection[str],
    tools: Collection[str],
    boards: Collection[str],
    board_tool_names: Collection[str] = (),
    kept_workers: Collection[str] = (),
) -> Roster:
    """What the workers of one load become, with every problem of every worker. Never raises.

    ``kinds`` are the kinds that a worker can have and ``all_kinds`` the names of all that are registered;
    ``tools`` is the catalog, ``boards`` the ids of the load's boards, and ``board_tool_names`` the tools that
    each board of ``boardTools`` offers (their names with the board's suffix must fit a model interface).
    ``kept_workers`` are ids that may be named although the load has no such worker.
    """
    references = References(
        workers={record.id for record in workers}.union(kept_workers),
        documents=[record.id for record in documents],
        tools=tools,
        boards=boards,
        board_tool_names=board_tool_names,
    )
    binder = _Binder(kinds, all_kinds, references, {team.id: team.body for team in teams})
    for record in sorted(workers, key=lambda record: (record.id, record.path)):
        binder.take(record)
    return Roster(tuple(binder.seats), tuple(binder.refusals), frozenset(binder.hearing), len(workers))


class _Binder:
    """One binding: takes records in the order of their ids and keeps what came of each."""

    def __init__(
        self,
        kinds: Mapping[str, WorkerKind],
        all_kinds: Collection[str],
        references: References,
        team_bodies: Mapping[str, str],
    ) -> None:
        self.seats: list[SeatDeclaration] = []
        self.refusals: list[Refusal] = []
        self.hearing: set[str] = set()
        self._kinds = kinds
        self._all_kinds = frozenset(all_kinds)
        self._flows = Vocabulary("flow", list(kinds))
        self._references = references
        self._team_bodies = team_bodies
        self._path_of: dict[str, str] = {}

    def take(self, record: Record) -> None:
        """Judge one worker: a seat when nothing is wrong, else a refusal for each problem."""
        if record.id in self._path_of:
            first, second = quoted(self._path_of[record.id]), quoted(record.path)
            self._refuse(record, [f"is declared twice, at {first} and at {second}; keep one"])
            return
        self._path_of[record.id] = record.path
        problems = [*_key_problems(record.declared), *_text_problems(record, self._team_body(record))]
        kind, flow_problem = self._kind_of(record.declared)
        if kind is None or kind.hears_posts:
            self.hearing.add(record.id)
        if kind is None:
            self._refuse(record, [*problems, flow_problem])
            return
        judged = judge_settings(kind, record.declared, self._kinds, _REFUSED)
        problems += judged.problems
        problems += self._references.problems(record.id, named_by(judged, kind.settings))
        if problems:
            self._refuse(record, problems)
        else:
            self.seats.append(self._seat(record, kind, judged.stored))

    def _refuse(self, record: Record, problems: Sequence[str]) -> None:
        self.refusals += [Refusal(record.id, problem) for problem in problems]

    def _kind_of(self, declared: Mapping[str, Any]) -> tuple[WorkerKind | None, str]:
        flow = declared.get("flow", DEFAULT_KIND)
        if not isinstance(flow, str):
            return None, f"flow: {shape_problem(flow, 'the name of a worker kind')}"
        if is_blank(flow):
            return None, "flow: is blank; name a worker kind, or drop the key for an agent"
        if flow in self._kinds:
            return self._kinds[flow], ""
        if flow in self._all_kinds:
            return (
                None,
                f"flow: {quoted(flow)} is a kind, but not one that a worker can have; {self._known_flows()}",
            )
        return None, f"flow: {self._flows.refuse([flow])}"

    def _known_flows(self) -> str:
        return f"known: {', '.join(quoted(name) for name in sorted(self._kinds)) or 'none'}"

    def _team_body(self, record: Record) -> str:
        body = self._team_bodies.get(team_of(record.id) or "", "")
        return "" if is_blank(body) else body

    def _seat(self, record: Record, kind: WorkerKind, settings: dict[str, Any]) -> SeatDeclaration:
        own = record.declared.get("instructions", "") if is_blank(record.body) else record.body
        return SeatDeclaration(
            id=record.id,
            kind=kind.name,
            description=record.declared["description"],
            instructions=own,
            team_instructions=self._team_body(record),
            settings=settings,
            hears_posts=kind.hears_posts,
            takes_tasks=kind.takes_tasks,
        )


def _key_problems(declared: Mapping[str, Any]) -> Iterator[str]:
    for key in declared:
        if key in _REFUSED:
            yield f"'{key}' {_REFUSED[key]}"


def _text_problems(record: Record, team_body: str) -> Iterator[str]:
    declared = record.declared
    description = declared.get("description")
    if "description" not in declared:
        yield "description: is required; say in a sentence what the worker is for"
    elif not isinstance(description, str):
        yield f"description: {shape_problem(description, 'a string')}"
    elif is_blank(description):
        yield "description: is blank; say in a sentence what the worker is for"
    elif not is_storable(description):
        yield f"description: {UNSTORABLE}"
    yield from _instructions_problems(record)
    if not is_storable(team_body):
        yield f"its team's TEAM.md {UNSTORABLE}"


def _instructions_problems(record: Record) -> Iterator[str]:
    if not is_storable(record.body):
        yield f"its body {UNSTORABLE}"
    if "instructions" not in record.declared:
        return
    instructions = record.declared["instructions"]
    if not is_blank(record.body):
        yield "'instructions' stands beside a body; keep one of the two"
    elif not isinstance(instructions, str):
        yield f"instructions: {shape_problem(instructions, 'a string')}"
    elif not is_storable(instructions):
        yield f"instructions: {UNSTORABLE}"
