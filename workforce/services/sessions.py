"""Making, changing and removing sessions."""

from __future__ import annotations

import json
from typing import Any

from django.db import IntegrityError, transaction

from workforce import clock
from workforce.callers import Caller
from workforce.errors import InvalidInput, SessionNotFound, SessionTaken, WrongKind
from workforce.ids import new_session_id
from workforce.kinds import Kind, get_kind, registered_kinds
from workforce.models import Organization, Session
from workforce.sql.reading import Statement, locking, whole

_AT = Statement(
    [whole(Session, "session")],
    "FROM workforce_session session WHERE session.organization_id = %s AND session.address = %s",
)
METADATA_BYTES = 16 * 1024
#: Ids that a URL cannot carry: every client takes them for steps of the path.
_STEPS = frozenset({".", ".."})


def open_for_action(*, caller: Caller, kind: Kind, address: str | None, lock: bool) -> Session:
    """The session an action runs in, locked when asked; unsaved when there is none at the address yet.

    Raises SessionNotFound for another user's (its contents stay unknown) and WrongKind for a session of
    another kind. Must be called in a transaction.
    """
    if address is None:
        return _unsaved(caller, kind, new_session_id())
    more = locking("NO KEY UPDATE") if lock else ""
    session: Session | None = _AT.first([caller.organization.pk, address], more=more)
    if session is None:
        return _unsaved(caller, kind, address)
    if session.owner_id != caller.user.pk:
        raise SessionNotFound(f"there is no session '{address}'")
    if session.kind != kind.name:
        raise WrongKind(f"session '{address}' is of the kind '{session.kind}', not '{kind.name}'")
    return session


def save_if_new(*, session: Session, caller: Caller, kind: Kind) -> Session:
    """Write a session that an action call named first; when another call was faster, its row, locked."""
    if not session._state.adding:
        return session
    try:
        with transaction.atomic():
            session.save(force_insert=True)
    except IntegrityError:
        return open_for_action(caller=caller, kind=kind, address=session.address, lock=True)
    return session


def _unsaved(caller: Caller, kind: Kind, address: str) -> Session:
    if address in _STEPS:
        raise InvalidInput.at("sessionId", f"'{address}' is a step of a path; choose another id")
    return Session(organization=caller.organization, owner=caller.user, kind=kind.name, address=address)


def create_session(
    *,
    caller: Caller,
    kind_name: str,
    address: str | None = None,
    title: str = "",
    description: str = "",
    tags: list[str] | None = None,
    metadata: dict[str, Any] | None = None,
) -> Session:
    """Make an empty session of a kind.

    Raises SessionTaken when the id is in use, NoSuchFlow for the kind, InvalidInput for an id that no URL can
    carry and for metadata over the limit.
    """
    kind = get_kind(kind_name)
    session = _unsaved(caller, kind, address or new_session_id())
    session.title, session.description = title, description
    session.tags, session.metadata = tags or [], metadata or {}
    _check_metadata(session.metadata)
    try:
        with transaction.atomic():
            session.save(force_insert=True)
    except IntegrityError:
        raise SessionTaken(
            f"the session id '{session.address}' is taken; choose another or leave it out"
        ) from None
    return session


def update_session(*, caller: Caller, address: str, changes: dict[str, Any]) -> Session:
    """Change title, description, tags or metadata (merged shallowly); only what is given changes.

    Raises SessionNotFound, InvalidInput for metadata that would be over the limit, and what the kind says.
    """
    with transaction.atomic():
        session = lock_own_session(caller=caller, address=address)
        kind = registered_kinds().get(session.kind)
        if kind is not None:
            kind.check_changes(session, list(changes))
        if "metadata" in changes:
            merged = {**session.metadata, **changes["metadata"]}
            _check_metadata(merged, before=session.metadata)
            changes = {**changes, "metadata": merged}
        for name, value in changes.items():
            setattr(session, name, value)
        if changes:
            session.updated_at = max(session.updated_at, clock.now())
            session.save(update_fields=[*changes, "updated_at"])
    return session


def _check_metadata(metadata: dict[str, Any], *, before: dict[str, Any] | None = None) -> None:
    """Raise InvalidInput when it is over the limit; what was over it before may become smaller."""
    size = _size(metadata)
    if size > max(METADATA_BYTES, _size(before) if before else 0):
        raise InvalidInput.at("metadata", f"has {size} bytes as JSON; the limit is {METADATA_BYTES}")


def _size(metadata: dict[str, Any]) -> int:
    return len(json.dumps(metadata, ensure_ascii=False, separators=(",", ":")).encode())


def delete_session(*, caller: Caller, address: str) -> None:
    """Remove a session with everything in it. Raises what its kind says when it may not be removed."""
    with transaction.atomic():
        _lock_above(caller, address)
        session = lock_own_session(caller=caller, address=address)
        get_kind(session.kind).check_deletable(session)
        session.delete()


def remove_session(*, organization: Organization, address: str) -> Session:
    """Remove anybody's session, for an operator; what it was.

    Raises SessionNotFound, and what its kind says when it may not be removed.
    """
    with transaction.atomic():
        sessions = Session.objects.select_for_update(of=("self",), no_key=True).select_related("owner")
        found = sessions.filter(organization=organization, address=address).first()
        if found is None:
            raise SessionNotFound(f"there is no session '{address}'")
        kind = registered_kinds().get(found.kind)  # a kind that is gone has no say
        if kind is not None:
            kind.check_deletable(found)
        Session.objects.filter(pk=found.pk).delete()
    return found


def _lock_above(caller: Caller, address: str) -> None:
    """Lock what the session is a child of: who hands it something there does so with that locked, and must find it."""
    above = Session.objects.filter(
        children__organization=caller.organization, children__owner=caller.user, children__address=address
    )
    above.select_for_update(no_key=True, of=("self",)).first()


def lock_own_session(*, caller: Caller, address: str) -> Session:
    """The caller's session, its row locked. Raises SessionNotFound. Must be called in a transaction."""
    session = (
        Session.objects.select_for_update(no_key=True)
        .filter(organization=caller.organization, owner=caller.user, address=address)
        .first()
    )
    if session is None:
        raise SessionNotFound(f"there is no session '{address}'")
    return session
