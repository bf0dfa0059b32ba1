"""A small cast of kinds and worker files, and one way to bind them."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from workforce.kinds import Action, ClosedModel, NoInput, WorkerKind
from workforce.kinds.agent_settings import AgentSettings
from workforce.kinds.worker_settings import Names, WorkerSettings
from workforce.roster import Roster, SeatDeclaration, bind_roster
from workforce.tree.records import Record


def entry(name: str) -> Action:
    return Action(name=name, input=NoInput, run=lambda call: None, public=False)


class Agent(WorkerKind):
    name = "agent"
    settings = AgentSettings

    def declare_actions(self) -> list[Action]:
        return [entry("onMailboxPost"), entry("work")]


class CoordinatorSettings(WorkerSettings):
    routing: str = "judgment"
    delegates: Names = Field(default_factory=list)
    fallback: str | None = None
    min_confidence: float = Field(default=0.5, ge=0, le=1)

    @model_validator(mode="after")
    def check_mode(self) -> CoordinatorSettings:
        if self.routing == "nonsense":
            raise ValueError("routing makes no sense")
        return self


class Coordinator(WorkerKind):
    name = "coordinator"
    settings = CoordinatorSettings

    def declare_actions(self) -> list[Action]:
        return [entry("onMailboxPost")]


class HandlerSettings(ClosedModel):
    handler: str = Field(min_length=2)
    options: Any = None


class Handler(WorkerKind):
    name = "handler"
    settings = HandlerSettings

    def declare_actions(self) -> list[Action]:
        return [entry("work")]


KINDS = {kind.name: kind for kind in (Agent(), Coordinator(), Handler())}
EMPTY = "is empty; write a value or drop the key"
PURPOSE = "Reads what comes in."


def worker(id: str = "eng.lead", body: str = "", path: str = "", /, **declared: Any) -> Record:
    return Record(id, path or f"path/of/{id}", {"description": PURPOSE, **declared}, body)


def document(id: str) -> Record:
    return Record(id, f"path/of/{id}", {"description": "A page."}, "")


def bind(*workers: Record, teams: tuple[Record, ...] = ()) -> Roster:
    return bind_roster(
        workers=workers,
        teams=teams,
        documents=[document("handbook"), document("eng.guide"), document("ops.runbook")],
        kinds=KINDS,
        all_kinds=[*KINDS, "mailbox"],
        tools={"post-to-mailbox", "file-task", "read-document"},
        boards={"eng.support.triage", "eng.support.later", "eng.support.a!b", "eng.support.a?b"},
        board_tool_names=["addTask", "completeTask"],
    )


def seat(record: Record, *teams: Record) -> SeatDeclaration:
    roster = bind(record, worker("eng.analyst"), teams=teams)
    assert roster.refusals == ()
    return next(seat for seat in roster.seats if seat.id == record.id)


def problems(record: Record) -> list[str]:
    roster = bind(record, worker("eng.analyst"), worker("ops.night"))
    assert record.id not in {seat.id for seat in roster.seats}
    assert {refusal.id for refusal in roster.refusals} == {record.id}
    return [refusal.message for refusal in roster.refusals]


def problem(**declared: Any) -> str:
    """The one problem of a worker with these keys."""
    found = problems(worker(**declared))
    assert len(found) == 1, found
    return found[0]
