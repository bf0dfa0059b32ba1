"""What the stories find: run in the environment of a server, on its database."""

from __future__ import annotations

import uuid

SCRIPT = "from tests.stories.seeding import seed; seed()"

#: Fixed, so that a run with a fixed seed meets the same ids.
DONE, FAILED, PENDING = (str(uuid.UUID(int=number, version=4)) for number in (1, 2, 3))
BOARD, ROW = "desk.inbox.work", "task_fixed_1_00000000"


def seed() -> None:
    """An open mailbox with lines and a board, a plain session with a failed and a pending request, of one user."""
    from mailboxes.state import opening_state
    from workforce.callers import Caller
    from workforce.models import Request, Session
    from workforce.services.organizations import ensure_membership, ensure_organization, ensure_user
    from workforce.services.running import ActionCall, run_action
    from workforce.services.sessions import create_session

    user, organization = ensure_user(username="local"), ensure_organization(slug="default")
    ensure_membership(user=user, organization=organization)
    caller = Caller(user=user, organization=organization)
    create_session(caller=caller, kind_name="mailbox", address="desk.inbox", title="The desk")
    state = opening_state(members=["desk.writer"], charter="be kind")
    Session.objects.filter(address="desk.inbox").update(state=state)
    create_session(caller=caller, kind_name="mailbox", address="empty", tags=["plain"])
    for text in ("first", "second"):
        run_action(caller=caller, asked=ActionCall("mailbox", "post", "desk.inbox", {"body": text}))
    _request(caller, DONE, "desk.inbox")
    _request(caller, FAILED, "empty")
    session = Session.objects.get(address="desk.inbox")
    Request.objects.create(uid=uuid.UUID(PENDING), session=session, action="post", source="http", input={})
    _board(organization)


def _board(organization: object) -> None:
    """A board with rows that are ready, one that waits for another, one that has ended; one has a fixed id."""
    from boards.hands import Hand
    from boards.models import Board, Task
    from boards.services.filing import NewTask, file_task
    from boards.services.settling import cancel_task

    board = Board.objects.create(
        organization=organization,  # type: ignore[misc]
        board_id=BOARD,
        mailbox_id="desk.inbox",
        name="work",
    )
    by = Hand(principal="local")
    rows = [file_task(board=board, by=by, new=NewTask(goal=f"row {n}", labels=("a",))) for n in range(5)]
    file_task(board=board, by=by, new=NewTask(goal="waits", deps=(rows[0].task_id,), assignee="wren"))
    cancel_task(board=board, task_id=rows[-1].task_id, by=by, reason="not needed")
    Task.objects.filter(pk=rows[1].pk).update(task_id=ROW)


def _request(caller: object, uid: str, address: str) -> None:
    from workforce.services.running import ActionCall, run_action

    run_action(
        caller=caller,  # type: ignore[arg-type]
        asked=ActionCall("mailbox", "post", address, {"body": "x"}, request_id=uuid.UUID(uid)),
    )
