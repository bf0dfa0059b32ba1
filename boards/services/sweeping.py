"""What nobody claims: rows whose workers died too often are settled."""

from __future__ import annotations

import structlog
from django.db import transaction

from boards.models import Task
from boards.services.claiming import give_up
from boards.transitions import MAX_ABANDONMENTS, Status
from workforce import clock

BATCH = 500
log = structlog.get_logger(__name__)


def settle_abandoned() -> int:
    """Settle the lapsed rows that were abandoned too often; one that cannot be written does not stop the rest.

    The sweep itself counts no abandonment. Returns how many were settled.
    """
    moment = clock.now()
    lapsed = Task.objects.filter(
        status=Status.IN_PROGRESS, lease_until__lte=moment, abandonments__gte=MAX_ABANDONMENTS
    )
    settled = 0
    for task in lapsed.select_related("board").order_by("lease_until")[:BATCH]:
        try:
            with transaction.atomic():
                settled += give_up(board=task.board, task=task, moment=moment)
        except Exception as error:  # whatever is wrong with this row, the others are due
            log.warning("row_not_settled", task=task.task_id, reason=f"{type(error).__name__}: {error}"[:200])
    return settled
