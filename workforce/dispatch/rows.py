"""The statements that every run of a request takes, written as SQL: see ``workforce.sql.reading``."""

from __future__ import annotations

import uuid
from datetime import datetime

from django.db import connection

from workforce.models import Request, Session
from workforce.sql.reading import Statement, locking, whole
from workforce.sql.writing import adapted

_UNFINISHED = "status IN ('pending', 'in_progress')"  # word for word that of the partial indexes
_REQUEST = Statement([whole(Request, "request")], "FROM workforce_request request WHERE id = %s")
_SESSION = Statement([whole(Session, "session")], "FROM workforce_session session WHERE id = %s")
# One that runs is first whatever its number: a lower number may have been committed after its claim.
_HEAD = f"""
SELECT id FROM workforce_request WHERE session_id = %s AND serial AND {_UNFINISHED}
ORDER BY CASE status WHEN 'in_progress' THEN 0 ELSE 1 END, id LIMIT 1
"""  # noqa: S608
#: The session of the request, if it is a serial one.
_SESSION_OF = Statement(
    [whole(Session, "session")],
    "FROM workforce_session session WHERE id = "
    "(SELECT session_id FROM workforce_request WHERE uid = %s AND serial)",
)
_TAKEN = Statement(
    [whole(Request, "workforce_request")],
    opening=f"""
UPDATE workforce_request SET
    status = 'in_progress', attempts = attempts + 1, claimed_by = %s, lease_until = %s,
    started_at = COALESCE(started_at, %s)
WHERE uid = %s AND attempts < %s AND (status = 'pending' OR (status = 'in_progress' AND lease_until < %s))
AND (NOT serial OR id = (
    SELECT waiting.id FROM workforce_request waiting
    WHERE waiting.session_id = workforce_request.session_id AND waiting.serial AND waiting.{_UNFINISHED}
    ORDER BY CASE waiting.status WHEN 'in_progress' THEN 0 ELSE 1 END, waiting.id LIMIT 1
)) """,  # noqa: S608
    verb="RETURNING",
)


def take(
    uid: uuid.UUID, *, claimed_by: str, lease_until: datetime, moment: datetime, attempts: int
) -> Request | None:
    """Claim the request if it is due, its turn, and was tried less than ``attempts`` times.

    Two workers must not both find their request at the head of the queue: a serial one is claimed with its session
    locked, by a statement that sees what whoever had the lock committed.
    """
    key = adapted(Request, "uid", uid)
    lease, now = (connection.ops.adapt_datetimefield_value(one) for one in (lease_until, moment))
    sessions, requests = _SESSION_OF.read_before(
        _TAKEN, [key], [claimed_by, lease, now, key, attempts, now], more=locking("NO KEY UPDATE OF session")
    )
    if not requests:
        return None
    request: Request = requests[0][0]
    if sessions:
        request.session = sessions[0][0]
    return request


def lock_both(claimed: Request) -> tuple[Session | None, Request | None]:
    """The session of the request, and the request, locked in this order against whoever writes to them.

    Rows may still be added that point to the session.
    """
    sessions, requests = _SESSION.read_before(
        _REQUEST,
        [claimed.session_id],
        [claimed.pk],
        more=locking("NO KEY UPDATE"),
        then_more=locking("UPDATE"),
    )
    return (sessions[0][0] if sessions else None), (requests[0][0] if requests else None)


def lock_session(pk: int) -> Session | None:
    """The session, locked as for a run."""
    found: Session | None = _SESSION.first([pk], more=locking("NO KEY UPDATE"))
    return found


def head_of_queue(session_id: int) -> int | None:
    """The serial request of the session that runs, else the oldest that waits."""
    with connection.cursor() as cursor:
        cursor.execute(_HEAD, [session_id])
        found = cursor.fetchone()
    return None if found is None else int(found[0])
