"""Reading with the right to: what is not the caller's is answered like what is not there."""

from __future__ import annotations

import uuid

from django.db.models import QuerySet

from workforce.callers import Caller
from workforce.errors import NotFound, SessionNotFound
from workforce.models import Request, Session


def own_sessions(caller: Caller) -> QuerySet[Session]:
    """The caller's sessions in its organization."""
    return Session.objects.filter(organization=caller.organization, owner=caller.user)


def access_session(*, caller: Caller, address: str) -> Session:
    """The caller's session at this address. Raises SessionNotFound, also for another user's."""
    session = own_sessions(caller).select_related("owner", "seat", "parent").filter(address=address).first()
    if session is None:
        raise SessionNotFound(f"there is no session '{address}'")
    return session


def access_request(*, caller: Caller, uid: uuid.UUID) -> Request:
    """The caller's request. Raises NotFound, also for one in another user's session."""
    request = (
        Request.objects.select_related("session")
        .filter(uid=uid, session__owner=caller.user, session__organization=caller.organization)
        .first()
    )
    if request is None:
        raise NotFound(f"there is no request '{uid}'")
    return request
