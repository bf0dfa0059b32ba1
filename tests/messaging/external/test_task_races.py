"""What befalls a held row at the same moment, on PostgreSQL: one of both counts, and everybody hears which."""

from __future__ import annotations

from functools import partial

from boards.services.settling import cancel_task
from messaging.external.services.watching import give_up_unreachable
from messaging.inbox.services.opening import leave_inbox
from tests.boards.ledgers import ADA
from tests.messaging.delegation.tasking import row
from tests.messaging.external.conftest import Desk
from tests.racing import ON_POSTGRESQL, at_once
from workforce.dispatch.run import try_run
from workforce.models import Request

pytestmark = ON_POSTGRESQL


def carried(desk: Desk, *payloads: str) -> list[Request]:
    """The runs that carry these replies on."""
    item = desk.items()[0]
    for payload in payloads:
        desk.agent.send(payload, type="message", topic=..., replyingTo=item["id"])
    return list(Request.objects.filter(action="onInboxReply", status="pending").order_by("pk"))


def test_two_replies__at_once_settle_the_row_once(filed: Desk) -> None:
    runs = carried(filed, "Seven.", "Eight.")
    at_once(*[partial(try_run, run.uid) for run in runs])
    filed.office.work()
    assert row().output == "Seven."  # in the order that they were sent
    assert filed.refused() == ["nothing-to-answer"]
    assert len(filed.heard()) == 1


def test_reply_and_cancel__at_once_leave_one_of_both(filed: Desk) -> None:
    (run,) = carried(filed, "Seven.")

    def cancel() -> str:
        try:
            return cancel_task(board=row().board, task_id=row().task_id, by=ADA).status
        except Exception as refusal:
            return getattr(refusal, "code", type(refusal).__name__)

    _, cancelled = at_once(partial(try_run, run.uid), cancel)
    filed.office.work()
    told = filed.heard()
    if row().status == "completed":
        assert (cancelled, filed.refused(), len(told)) == ("terminal_task_write_declined", [], 1)
    else:
        assert (cancelled, filed.refused(), told) == ("cancelled", ["nothing-to-answer"], [])
    assert "closedAt" in filed.items()[0]


def test_reply_and_sweep__at_once_end_the_attempt_once(filed: Desk) -> None:
    (run,) = carried(filed, "Seven.")
    leave_inbox(inbox=filed.agent.inbox, passname="wren")
    at_once(partial(try_run, run.uid), give_up_unreachable, give_up_unreachable)
    filed.office.work()
    give_up_unreachable()
    filed.office.work()
    task = row()
    told = filed.heard()
    assert (task.status, task.output) in {("completed", "Seven."), ("errored", None)}
    assert len(told) == 1
    ends = task.events.filter(kind__in=["completed", "errored", "retried"]).count()
    assert ends == (1 if task.status == "completed" else 2)
