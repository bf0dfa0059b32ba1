"""Nudging a worker once what it should run is committed."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from functools import partial

from django.db import transaction

from workforce.dispatch.rows import head_of_queue
from workforce.dispatch.sending import SENDER, Message
from workforce.models import Request

RUN_REQUEST = "workforce.run_request"


def nudge_on_commit(requests: Iterable[Request]) -> None:
    """Tell a worker about each pending request after the current transaction has committed."""
    for request in requests:
        if request.status == Request.Status.PENDING:
            transaction.on_commit(partial(nudge, request.uid))


def nudge(uid: uuid.UUID) -> None:
    """Have one message sent, without waiting for it. One that is lost costs seconds: the sweep finds the row."""
    SENDER.put(Message(RUN_REQUEST, (str(uid),)))


def start_next(session_id: int) -> None:
    """Tell a worker of the session's oldest unfinished serial request: what stood before it has ended."""
    head = head_of_queue(session_id)
    if head is not None:
        nudge(Request.objects.values_list("uid", flat=True).get(pk=head))
