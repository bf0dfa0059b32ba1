"""What the processes of a board's story do: run in the environment of a server, on its database."""

from __future__ import annotations

import random
import sys
import time

BOARD = "support.help.todo"


def seed(rows: int) -> None:
    """An open mailbox with a board and so many rows on it, of a user with a key that is printed."""
    from boards.hands import Hand
    from boards.models import Board
    from boards.services.filing import NewTask, file_task
    from mailboxes.state import opening_state
    from workforce.models import Grant, Session
    from workforce.services.actors import add_actor
    from workforce.services.organizations import create_organization, ensure_membership, ensure_user

    organization, user = create_organization(slug="acme", name="Acme"), ensure_user(username="ada")
    ensure_membership(user=user, organization=organization)
    _, _, key = add_actor(organization=organization, passname="desk", user=user, grants=Grant.values)
    state = opening_state(members=[], charter="")
    Session.objects.create(
        organization=organization, owner=user, address="support.help", kind="mailbox", state=state
    )
    board = Board.objects.create(
        organization=organization, board_id=BOARD, mailbox_id="support.help", name="todo", actions=True
    )
    for number in range(rows):
        file_task(board=board, by=Hand(principal="ada"), new=NewTask(goal=f"row {number}"))
    sys.stdout.write(key)


def work(worker: str) -> None:
    """Take rows for a second each and complete them, for ever; each acceptance is a line on stdout."""
    from boards.errors import LostClaim
    from boards.hands import Hand
    from boards.models import Board
    from boards.services.claiming import claim_next, renew_lease
    from boards.services.settling import complete_task

    board, hand = Board.objects.get(board_id=BOARD), Hand(principal="ada", passname=worker)
    while True:
        claimed = claim_next(board=board, worker=worker, by=hand, lease_seconds=1)
        if claimed is None:
            time.sleep(0.05)
            continue
        task, ticket = claimed
        row = {"board": board, "task_id": task.task_id, "by": hand, "ticket": ticket}
        try:
            for _ in range(random.randint(0, 2)):
                time.sleep(random.uniform(0, 0.4))
                renew_lease(**row)
            if random.random() < 0.15:
                time.sleep(1.2)  # a worker that stalls, and comes back too late or just in time
            complete_task(**row, output={"by": worker, "attempt": task.attempts})
        except LostClaim:
            continue
        sys.stdout.write(f"{task.task_id} {task.attempts}\n")
        sys.stdout.flush()
