"""Queries over big tables that read no more than a page needs, on every database."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import reduce
from operator import or_

from django.db.models import Q, QuerySet

from workforce.models import Item, Request, Session


def unfinished(requests: QuerySet[Request]) -> QuerySet[Request]:
    """Those that wait or run."""
    return requests.filter(Request.IS_UNFINISHED)


def failed_since(moment: datetime) -> QuerySet[Request]:
    """Those that failed since then."""
    return Request.objects.filter(Request.IS_FAILED, ended_at__gte=moment)


def failed_runs(session: Session) -> QuerySet[Request]:
    """The session's failed runs, newest first."""
    return Request.objects.filter(Request.IS_FAILED, session=session).order_by("-id")


def retries_of(request: Request) -> list[int]:
    """The keys of the runs that repeat this one."""
    return list(Request.objects.filter(retry_of_uid=request.uid).order_by("pk").values_list("pk", flat=True))


def last_lines(sessions: Iterable[Session]) -> list[Item]:
    """The last line of each session, newest first: one look into an index for each."""
    places = [Q(session=session, line_seq=session.line_seq) for session in sessions]
    if not places:
        return []
    lines = Item.objects.filter(reduce(or_, places)).select_related("session").defer("data")
    return sorted(lines, key=lambda line: line.at, reverse=True)
