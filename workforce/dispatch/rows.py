"""The statements that every run of a request takes, written as SQL: see ``workforce.selectors.statements``."""

from __future__ import annotations

import uuid
from datetime import datetime

from django.db import connection

from workforce.models import Request, Session
from workforce.selectors.statements import Statement, locking, whole

_UNFINISHED = "status IN ('pending', 'in_progress')"  # word for word that of the partial indexes
_WAITING = Statement(
    [whole(Request, "request")], f"FROM workforce_request request WHERE uid = %s AND {_UNFINISHED}"
)
_REQUEST = Statement([whole(Request, "request")], "FROM workforce_request request WHERE id = %s")
_SESSION = Statement([whole(Session, "session")], "FROM workforce_session session WHERE id = %s")
# One that runs is first whatever its number: a lower number may have been committed after its claim.
_HEAD = f"""
SELECT id FROM workforce_request WHERE session_id = %s AND serial AND {_UNFINISHED}
ORDER BY CASE status WHEN 'in_progress' THEN 0 ELSE 1 END, id LIMIT 1
"""  # noqa: S608
_TAKE = """
UPDATE workforce_request SET
    status = 'in_progress', attempts = attempts + 1, claimed_by = %s, lease_until = %s,
    started_at = COALESCE(started_at, %s)
WHERE id = %s AND attempts = %s AND (status = 'pending' OR (status = 'in_progress' AND lease_until < %s))
"""


def read_unfinished(uid: uuid.UUID) -> Request | None:
    """The request of this id, unless it ended."""
    key = Request._meta.get_field("uid").get_db_prep_value(uid, connection)
    found: Request | None = _WAITING.first([key])
    return found


def lock_request(pk: int) -> Request | None:
    """The request, locked."""
    found: Request | None = _REQUEST.first([pk], more=locking("UPDATE"))
    return found


def lock_session(pk: int) -> Session | None:
    """The session, locked against whoever writes to it; rows may still be added that point to it."""
    found: Session | None = _SESSION.first([pk], more=locking("NO KEY UPDATE"))
    return found


def head_of_queue(session_id: int) -> int | None:
    """The serial request of the session that runs, else the oldest that waits."""
    with connection.cursor() as cursor:
        cursor.execute(_HEAD, [session_id])
        found = cursor.fetchone()
    return None if found is None else int(found[0])


def take(request: Request, *, claimed_by: str, lease_until: datetime, moment: datetime) -> bool:
    """Claim the request as it was read, if it is due; the row's new values are on it. False when it is not."""
    at = [connection.ops.adapt_datetimefield_value(one) for one in (lease_until, moment, moment)]
    with connection.cursor() as cursor:
        cursor.execute(_TAKE, [claimed_by, at[0], at[1], request.pk, request.attempts, at[2]])
        if not cursor.rowcount:
            return False
    request.status, request.attempts = Request.Status.IN_PROGRESS, request.attempts + 1
    request.claimed_by, request.lease_until = claimed_by, lease_until
    request.started_at = request.started_at or moment
    return True
