"""Who calls with a key. See docs/identity.md."""

from __future__ import annotations

import logging
import time
from datetime import datetime, timedelta

from django.db import DatabaseError
from django.db.models import Q

from workforce import clock
from workforce.callers import Caller
from workforce.errors import DomainError, Frozen, KeyExpired, KeyRevoked, PassnameMismatch, Unauthenticated
from workforce.keys import digests_match, parse_key
from workforce.models import Actor, Key
from workforce.refusals import quoted
from workforce.services.noticing import KeyRefusal, tell_refusal

TOUCHED_EVERY = timedelta(minutes=1)
_UNKNOWN = "this key is not known; send a key as it was issued: 'Authorization: Bearer wfk_…'"

logger = logging.getLogger(__name__)


class _Failures:
    """Which keys this process could not write of lately: a locked database costs one call a minute, not each."""

    def __init__(self) -> None:
        self._until: dict[int, float] = {}

    def is_recent(self, key_id: int) -> bool:
        return self._until.get(key_id, 0.0) > time.monotonic()

    def add(self, key_id: int) -> None:
        if len(self._until) > 10_000:
            self._until.clear()
        self._until[key_id] = time.monotonic() + TOUCHED_EVERY.total_seconds()


_failures = _Failures()

#: Every call reads this, so it reads only what a call needs; anything else of the rows loads when asked for.
_KEYS = Key.objects.select_related("actor__organization", "actor__user").only(
    *("digest", "grants", "expires_at", "revoked_at", "last_used_at"),
    *("actor__passname", "actor__frozen_at", "actor__retired_at"),
    *("actor__organization__slug", "actor__user__username", "actor__user__is_active"),
)


def authenticate_key(*, text: str, passname_header: str | None, path: str = "") -> Caller:
    """The caller who holds the key ``text``: its actor's user, in its actor's organization, with its grants.

    One query, so that what was revoked or frozen is refused at the very next call. The secret is compared
    before anything else: nobody learns the state of a key they do not hold. Raises Unauthenticated for an
    unknown key or a deactivated user, KeyRevoked (for a retired actor too), KeyExpired, Frozen, and
    PassnameMismatch for a ``passname_header`` that was sent and is not the actor's passname in any case.
    Every refusal is told to who registered for it, with the ``path`` that was called. Call it outside a
    transaction.
    """
    parsed = parse_key(text)
    # the prefix is unique
    key = next(iter(_KEYS.filter(prefix=parsed[0])), None) if parsed is not None else None
    now = clock.now()
    try:
        if key is None or parsed is None or not digests_match(key.digest, parsed[1]):
            raise Unauthenticated(_UNKNOWN)
        _check_usable(key, now)
        _check_passname(key.actor, passname_header)
    except DomainError as refusal:
        tell_refusal(_refusal_of(refusal, path, parsed[0] if parsed else "", key))
        raise
    actor = key.actor
    if (key.last_used_at is None or key.last_used_at < now - TOUCHED_EVERY) and not _failures.is_recent(
        key.pk
    ):
        touch_key(key_id=key.pk, last_used_at=now)
    return Caller(
        user=actor.user,
        organization=actor.organization,
        passname=actor.passname,
        actor_id=actor.pk,
        key_id=key.pk,
        key_prefix=parsed[0],
        grants=frozenset(key.grants),
    )


def touch_key(*, key_id: int, last_used_at: datetime) -> None:
    """Write when the key was last used, unless another call did so less than a minute before.

    A database that cannot take it (locked, read-only) is logged and never fails the call.
    """
    due = Q(last_used_at=None) | Q(last_used_at__lt=last_used_at - TOUCHED_EVERY)
    try:
        Key.objects.filter(pk=key_id).filter(due).update(last_used_at=last_used_at)
    except DatabaseError as error:
        _failures.add(key_id)
        logger.warning("the last use of key %s was not written: %s", key_id, error)


def _refusal_of(refusal: DomainError, path: str, prefix: str, key: Key | None) -> KeyRefusal:
    return KeyRefusal(
        reason=refusal.code,
        path=path,
        prefix=prefix,
        actor_id=key.actor_id if key else None,
        organization_id=key.actor.organization_id if key else None,
    )


def _check_passname(actor: Actor, header: str | None) -> None:
    if header is not None and header.strip().lower() != actor.passname:
        raise PassnameMismatch(
            f"the header X-Passname says {quoted(header.strip())}, and the key is that of "
            f"'{actor.passname}'; send that passname or leave the header out"
        )


def _check_usable(key: Key, now: datetime) -> None:
    actor = key.actor
    if key.revoked_at is not None:
        raise KeyRevoked
    if actor.retired_at is not None:
        raise KeyRevoked(f"'{actor.passname}' is retired, and its keys are revoked")
    if key.expires_at is not None and key.expires_at <= now:
        raise KeyExpired
    if not actor.user.is_active:
        raise Unauthenticated(f"the user of '{actor.passname}' is deactivated")
    if actor.frozen_at is not None:
        raise Frozen(f"'{actor.passname}' is frozen; an operator can unfreeze it")
