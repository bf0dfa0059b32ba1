"""Which seats have rows to see to: for the roster."""

from __future__ import annotations

from django.db.models import Exists, F, OuterRef, Q

from boards.models import Task
from boards.transitions import Status

#: Held, set aside with a question, or there to be taken.
_OWED = Q(status__in=[Status.IN_PROGRESS, Status.PARKED]) | Q(status=Status.PENDING, unmet=0)


def owes_rows() -> Q:
    """Seats that a row is assigned to which is held, parked or ready: of a board that they drain, or of a
    conversation's own.
    """
    rows = Task.objects.filter(_OWED, board__organization=OuterRef("organization"))
    drained = rows.filter(board__workers__worker_id=OuterRef("seat_id"), assignee=F("board__workers__key"))
    filed = rows.filter(board__session__isnull=False, assignee=OuterRef("seat_id"))
    of_anybody = Q(owner=None) & (Q(Exists(drained)) | Q(Exists(filed)))
    return of_anybody | Q(Exists(filed.filter(board__session__owner=OuterRef("owner"))))
