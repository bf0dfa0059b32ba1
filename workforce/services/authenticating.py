"""Who calls with a key. See docs/identity.md."""

from __future__ import annotations

import logging
import time
from datetime import datetime, timedelta

from django.db import DatabaseError
from django.db.models import Q

from workforce import clock
from workforce.callers import Caller
from workforce.errors import Frozen, KeyExpired, KeyRevoked, PassnameMismatch, Unauthenticated
from workforce.keys import digests_match, parse_key
from workforce.models import Key
from workforce.refusals import quoted

TOUCHED_EVERY = timedelta(minutes=1)

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


def authenticate_key(*, text: str, passname_header: str | None) -> Caller:
    """The caller who holds the key ``text``: its actor's user, in its actor's organization, with its grants.

    One query, so that what was revoked or frozen is refused at the very next call. The secret is compared
    before anything else: nobody learns the state of a key they do not hold. Raises Unauthenticated for an
    unknown key or a deactivated user, KeyRevoked (for a retired actor too), KeyExpired, Frozen, and
    PassnameMismatch for a ``passname_header`` that was sent and is not the actor's passname in any case.
    Call it outside a transaction.
    """
    key = _held_key(text)
    now = clock.now()
    _check_usable(key, now)
    actor = key.actor
    if passname_header is not None and passname_header.strip().lower() != actor.passname:
        raise PassnameMismatch(
            f"the header X-Passname says {quoted(passname_header.strip())}, and the key is that of "
            f"'{actor.passname}'; send that passname or leave the header out"
        )
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


def _held_key(text: str) -> Key:
    parsed = parse_key(text)
    if parsed is not None:
        prefix, digest = parsed
        keys = _KEYS.filter(prefix=prefix)
        key = next(iter(keys), None)  # the prefix is unique
        if key is not None and digests_match(key.digest, digest):
            return key
    raise Unauthenticated("this key is not known; send a key as it was issued: 'Authorization: Bearer wfk_…'")


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
