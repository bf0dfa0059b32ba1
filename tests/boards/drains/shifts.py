"""A board with workers that drain it, whose handlers do as a test scripts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from boards.drains.draining import drain_board
from boards.models import Board, BoardWorker, Task
from boards.services.staffing import settle_workers
from tests.boards.ledgers import Ledger
from workforce import clock
from workforce.dispatch.claim import claim
from workforce.dispatch.sweep import run_due
from workforce.kinds import Action, Call, Failure, Mode, Work, WorkerKind
from workforce.kinds.agent_settings import AgentSettings
from workforce.kinds.handlers import HandlerTask
from workforce.kinds.tasks import TaskDelivery, get_ledger
from workforce.models import Request, Seat, Session

Script = Callable[[HandlerTask], Any]


@dataclass
class Shift:
    """One board of an open mailbox, the workers that drain it, and what its handlers do."""

    ledger: Ledger
    mailbox: Session
    script: Script = lambda task: {"did": task.goal}
    seen: list[HandlerTask] = field(default_factory=list)

    @property
    def board(self) -> Board:
        return self.ledger.board

    def handle(self, task: HandlerTask) -> Any:
        self.seen.append(task)
        return self.script(task)

    def hire(
        self, seat_id: str = "support.wren", *boards: str, kind: str = "handler", **settings: Any
    ) -> Seat:
        """A seat that drains the board, and others; the board's workers are settled as a load does it."""
        drains = [self.board.board_id, *boards]
        given = {"handler": "scripted", "drains": drains} if kind == "handler" else {"drains": drains}
        seat = Seat.objects.create(
            organization=self.board.organization,
            seat_id=seat_id,
            kind=kind,
            description="Works.",
            settings={**given, **settings},
        )
        self.settle()
        return seat

    def settle(self) -> None:
        drains: dict[str, list[str]] = {}
        for seat in Seat.objects.filter(organization=self.board.organization, retired_at=None):
            for board in seat.settings.get("drains", []):
                drains.setdefault(board, []).append(seat.seat_id)
        settle_workers(organization=self.board.organization, drains=drains)

    def drain(self) -> int:
        return drain_board(self.board.pk)

    def work(self) -> int:
        """Drain and run until nothing is left to do; how many requests ran."""
        total = 0
        while self.drain() + (ran := run_due()):
            total += ran
        return total

    def runs(self, task: Task | None = None) -> list[Request]:
        rows = Request.objects.filter(action="work").select_related("session__seat").order_by("id")
        return list(rows if task is None else rows.filter(dispatch_key__startswith=f"work:{task.task_id}:"))

    def who(self, task: Task) -> str:
        """The seat that was handed the row last; empty when none was."""
        runs = self.runs(task)
        return runs[-1].session.seat.seat_id if runs else ""  # type: ignore[union-attr]

    def keys(self) -> dict[str, str]:
        return dict(BoardWorker.objects.filter(board=self.board).values_list("worker_id", "key"))


class Puppet(WorkerKind):
    """A kind whose turns a test writes: ``play`` is the slow part, its result the row's output."""

    name = "puppet"
    settings = AgentSettings
    play: Callable[[Work], Any] = staticmethod(lambda work: "done")

    def declare_actions(self) -> list[Action]:
        return [
            Action(
                name="work",
                input=TaskDelivery,
                work=self.slow,
                run=self.end,
                mode=Mode.BACKGROUND,
                public=False,
                serial=True,
            )
        ]

    def slow(self, work: Work) -> Any:
        get_ledger().hold(work, work.input)
        return self.play(work)

    def end(self, call: Call) -> Any:
        if isinstance(call.worked, Failure):
            get_ledger().fail(call, call.input, call.worked.refusal.words)
            return call.worked
        get_ledger().complete(call, call.input, call.worked)
        return {"said": call.worked}


def held(shift: Shift, **fields: Any) -> tuple[Task, Request]:
    """A row that was handed over, and the request that is to work it."""
    task = shift.ledger.file(**fields)
    assert shift.drain() == 1
    return shift.ledger.see(task), shift.runs(task)[-1]


def die(request: Request) -> None:
    """A worker takes the request and dies."""
    assert claim(request.uid) is not None
    Request.objects.filter(pk=request.pk).update(lease_until=clock.EPOCH)
