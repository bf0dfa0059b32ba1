"""Bind the workers of a tree: all sound, or every problem at once. See docs/tree.md."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from workforce.kinds.base import WorkerKind
from workforce.names import team_of
from workforce.refusals import UNSTORABLE, Refusal, is_blank, is_storable, quoted
from workforce.roster.declarations import Roster, SeatDeclaration
from workforce.roster.faults import Fault
from workforce.roster.judging import (
    REFUSED_KEYS,
    Flows,
    description_faults,
    instructions_faults,
    judge_keys,
)
from workforce.roster.references import References
from workforce.tree.records import Record


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
    binder = _Binder(Flows(kinds, all_kinds), references, {team.id: team.body for team in teams})
    for record in sorted(workers, key=lambda record: (record.id, record.path)):
        binder.take(record)
    return Roster(tuple(binder.seats), tuple(binder.refusals), frozenset(binder.hearing), len(workers))


class _Binder:
    """One binding: takes records in the order of their ids and keeps what came of each."""

    def __init__(self, flows: Flows, references: References, team_bodies: Mapping[str, str]) -> None:
        self.seats: list[SeatDeclaration] = []
        self.refusals: list[Refusal] = []
        self.hearing: set[str] = set()
        self._flows = flows
        self._references = references
        self._team_bodies = team_bodies
        self._path_of: dict[str, str] = {}

    def take(self, record: Record) -> None:
        """Judge one worker: a seat when nothing is wrong, else a refusal for each problem."""
        if record.id in self._path_of:
            first, second = quoted(self._path_of[record.id]), quoted(record.path)
            self._refuse(record, [Fault("", f"is declared twice, at {first} and at {second}; keep one")])
            return
        self._path_of[record.id] = record.path
        faults = [*_key_faults(record.declared), *_text_faults(record, self._team_body(record))]
        judged = judge_keys(
            record.declared,
            flows=self._flows,
            references=self._references,
            team=team_of(record.id) or "",
            refused=REFUSED_KEYS,
        )
        faults += judged.faults
        if judged.kind is None or judged.kind.hears_posts:
            self.hearing.add(record.id)
        if faults or judged.kind is None:
            self._refuse(record, faults)
        else:
            self.seats.append(self._seat(record, judged.kind, judged.stored))

    def _refuse(self, record: Record, faults: Sequence[Fault]) -> None:
        self.refusals += [Refusal(record.id, str(fault)) for fault in faults]

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


def _key_faults(declared: Mapping[str, Any]) -> Iterator[Fault]:
    for key in declared:
        if key in REFUSED_KEYS:
            yield Fault("", f"'{key}' {REFUSED_KEYS[key]}")


def _text_faults(record: Record, team_body: str) -> Iterator[Fault]:
    declared = record.declared
    if "description" in declared:
        yield from description_faults(declared["description"])
    else:
        yield Fault("description", "is required; say in a sentence what the worker is for")
    if not is_storable(record.body):
        yield Fault("", f"its body {UNSTORABLE}")
    if "instructions" in declared:
        if is_blank(record.body):
            yield from instructions_faults(declared["instructions"])
        else:
            yield Fault("", "'instructions' stands beside a body; keep one of the two")
    if not is_storable(team_body):
        yield Fault("", f"its team's TEAM.md {UNSTORABLE}")
