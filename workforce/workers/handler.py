"""The built-in handler: a worker that takes tasks, and does them by calling Python. See docs/boards.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import structlog

from workforce.errors import DomainError
from workforce.kinds.base import Action, Call, Mode, WorkerKind
from workforce.kinds.handler_settings import HandlerSettings
from workforce.kinds.handlers import HandlerTask, find_handler, handler_names
from workforce.kinds.tasks import TaskDelivery, get_ledger
from workforce.kinds.work import Failure, RunAborted, RunLost, Work
from workforce.models import Item
from workforce.nearest import unknown_words
from workforce.services.items import append_item

#: What the row keeps of an exception's words; the log has the rest.
_LONGEST = 1000
log = structlog.get_logger(__name__)


class HandlerFailed(DomainError):
    """The handler failed."""

    code = "handler-failed"
    status = 500


class HandlerUnknown(DomainError):
    """The worker's handler is not in TASK_HANDLERS any more."""

    code = "handler-unknown"
    status = 503


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of the call: the row's output, or why there is none."""

    output: Any = None
    refusal: DomainError | None = None


def call_handler(work: Work) -> Outcome:
    """Call the seat's handler with the row it was handed, outside of any transaction, the row renewed."""
    delivery: TaskDelivery = work.input
    get_ledger().hold(work, delivery)
    name = _name_of(work)
    handler = find_handler(name)
    if handler is None:
        return Outcome(refusal=HandlerUnknown(unknown_words("handler", [str(name)], handler_names())))
    task = HandlerTask(
        board_id=delivery.board_id,
        task_id=delivery.task_id,
        goal=delivery.goal,
        title=delivery.title,
        context=delivery.context,
        input=delivery.input,
        feedback=delivery.feedback,
        attempt=delivery.attempt,
        check=work.check,
    )
    try:
        return Outcome(output=handler(task))
    except (RunLost, RunAborted):
        raise
    except DomainError as refusal:
        return Outcome(refusal=refusal)
    except (Exception, SystemExit) as error:  # a handler that ends its process would end the other runs in it
        log.warning("handler_failed", handler=name, request=str(work.request.uid), exc_info=True)
        return Outcome(refusal=HandlerFailed(_words_of(error)))


def _words_of(error: BaseException) -> str:
    """The exception's class and message, as far as they can be shown; never its trace."""
    words = f"{type(error).__name__}: {error}"[:_LONGEST]
    return words.encode("utf-8", "backslashreplace").decode()


def settle_row(call: Call) -> dict[str, Any] | Failure:
    """Settle the row by what the handler returned, and show the run in its session."""
    delivery: TaskDelivery = call.input
    outcome: Outcome = call.worked
    _show(call, Item.Type.MESSAGE, {"role": "user", "text": delivery.goal})
    refusal = outcome.refusal
    if refusal is None:
        try:
            get_ledger().complete(call, delivery, outcome.output)
        except DomainError as refused:  # what it returned is nothing that a row can keep
            refusal = refused
    if refusal is not None:
        get_ledger().fail(call, delivery, f"{refusal.code}: {refusal.words}")
        _show(call, Item.Type.ERROR, {"code": refusal.code, "message": refusal.words})
        return Failure(refusal)
    _show(call, Item.Type.TOOL_OUTPUT, {"tool": _name_of(call), "output": outcome.output})
    return {"taskId": delivery.task_id}


def _name_of(run: Work | Call) -> Any:
    return run.session.seat.settings.get("handler") if run.session.seat else None


def _show(call: Call, type: Item.Type, data: dict[str, Any]) -> None:
    append_item(session=call.session, request=call.request, type=type, data=data)


class HandlerKind(WorkerKind):
    """A worker without a conversation: it takes rows of boards and calls a function of the deployment."""

    name = "handler"
    description = "A worker that does tasks with Python code of the deployment."
    settings = HandlerSettings

    def declare_actions(self) -> list[Action]:
        return [
            Action(
                name="work",
                input=TaskDelivery,
                work=call_handler,
                run=settle_row,
                mode=Mode.BACKGROUND,
                public=False,
                serial=True,
                description="A row of a board that the seat drains.",
            ),
        ]
