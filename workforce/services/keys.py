"""Issuing, rotating and revoking the keys of actors. Their form: workforce/keys.py. See docs/identity.md."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction

from workforce import clock
from workforce.actorerrors import ActorRetired, AlreadyRevoked, PassnameReserved, UnknownGrant, UnknownKey
from workforce.errors import InvalidInput
from workforce.keys import mint_key, prefix_of
from workforce.models import Actor, Grant, Key, Organization
from workforce.nearest import unknown_words
from workforce.refusals import is_storable, quoted
from workforce.selectors.actors import get_actor
from workforce.services.noticing import tell_change

MAX_EXPIRES_DAYS = 36_500
#: The reserved sender of what the service itself writes; it never has a key.
SYSTEM_PASSNAME = "workforce"


def issue_key(
    *,
    organization: Organization,
    passname: str,
    grants: Iterable[str],
    expires_days: int | None = None,
    operator: str = "",
) -> tuple[Key, str]:
    """Give the actor one more key; returns its row and its text, which is stored nowhere.

    Raises UnknownPassname, UnknownGrant, InvalidInput, PassnameReserved, ActorRetired.
    """
    granted = checked_grants(grants)
    check_expiry(expires_days)
    with transaction.atomic():
        actor = _lock_unretired(organization, passname)
        return mint_for(actor=actor, grants=granted, expires_days=expires_days, operator=operator)


def rotate_key(*, organization: Organization, passname: str, operator: str = "") -> tuple[Key, str]:
    """Replace all live keys of the actor by one new key; returns its row and its text.

    The new key has the grants of the newest live key, or of the newest key when none is live, and lives as
    long from now as that one was to live from its issue. Raises UnknownPassname, ActorRetired.
    """
    with transaction.atomic():
        actor = _lock_unretired(organization, passname)
        now = clock.now()
        model = _key_to_replace(actor, now)
        revoke_all(actor=actor, now=now, operator=operator)
        lifetime = model.expires_at - model.created_at if model and model.expires_at else None
        return _mint(actor, model.grants if model else [], now=now, lifetime=lifetime, operator=operator)


def revoke_key(*, organization: Organization, prefix: str, operator: str = "") -> Key:
    """Refuse the key from the next call on, for good. ``prefix`` may be the whole key as well.

    Raises UnknownKey, and AlreadyRevoked, saying when.
    """
    visible = prefix_of(prefix)
    keys = Key.objects.filter(actor__organization=organization, prefix=visible)
    key = keys.select_related("actor").first() if is_storable(visible) else None
    if key is None:
        raise UnknownKey(
            f"no key of the organization '{organization.slug}' has the prefix {quoted(visible)}; "
            "'manage.py key list' names them"
        )
    with transaction.atomic():
        revoked = Key.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=clock.now())
        if revoked:
            tell_change("key-revoked", key.actor, key_prefix=key.prefix, operator=operator)
    key.refresh_from_db(fields=["revoked_at"])
    if not revoked:
        when = f" at {said(key.revoked_at)}" if key.revoked_at else ""
        raise AlreadyRevoked(
            f"the key '{visible}' of '{key.actor.passname}' was revoked{when}, which is final"
        )
    return key


def revoke_all(*, actor: Actor, now: datetime, operator: str = "") -> None:
    """Revoke every live key of the actor, whose row the caller has locked."""
    live = Key.objects.filter(actor=actor, revoked_at=None)
    prefixes = list(live.order_by("pk").values_list("prefix", flat=True))
    live.update(revoked_at=now)
    for prefix in prefixes:
        tell_change("key-revoked", actor, key_prefix=prefix, operator=operator)


def mint_for(
    *, actor: Actor, grants: list[str], expires_days: int | None, operator: str = ""
) -> tuple[Key, str]:
    """Write a new key of the actor, whose row the caller has locked or just made; returns it and its text."""
    lifetime = None if expires_days is None else timedelta(days=expires_days)
    return _mint(actor, grants, now=clock.now(), lifetime=lifetime, operator=operator)


def checked_grants(grants: Iterable[str]) -> list[str]:
    """The grants without repeats, in the order of Grant. Raises UnknownGrant, with the nearest known ones."""
    asked = dict.fromkeys(grants)
    unknown = [word for word in asked if word not in Grant.values]
    if unknown:
        raise UnknownGrant(unknown_words("grant", unknown, Grant.values))
    return [grant.value for grant in Grant if grant.value in asked]


def check_expiry(expires_days: int | None) -> None:
    """Raise InvalidInput unless the lifetime is None or 1 to 36,500 days."""
    if expires_days is not None and not 1 <= expires_days <= MAX_EXPIRES_DAYS:
        raise InvalidInput.at("expires", f"{expires_days} days is outside 1 to {MAX_EXPIRES_DAYS}")


def check_not_retired(actor: Actor) -> None:
    """Raise ActorRetired, saying when."""
    if actor.retired_at is not None:
        raise ActorRetired(
            f"'{actor.passname}' was retired at {said(actor.retired_at)}, which is final; "
            "add an actor under another passname"
        )


def said(moment: datetime) -> str:
    """A moment as refusals name it."""
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"


def _lock_unretired(organization: Organization, passname: str) -> Actor:
    actor = get_actor(organization, passname, lock=True)
    if actor.passname == SYSTEM_PASSNAME:
        raise PassnameReserved(f"'{SYSTEM_PASSNAME}' is the service's own sender, and has no keys")
    check_not_retired(actor)
    return actor


def _key_to_replace(actor: Actor, now: datetime) -> Key | None:
    newest_first = list(Key.objects.filter(actor=actor).order_by("-pk"))
    live = (
        key
        for key in newest_first
        if key.revoked_at is None and (key.expires_at is None or key.expires_at > now)
    )
    return next(live, newest_first[0] if newest_first else None)


def _mint(
    actor: Actor, grants: list[str], *, now: datetime, lifetime: timedelta | None, operator: str
) -> tuple[Key, str]:
    minted = mint_key()
    key = Key.objects.create(
        actor=actor,
        prefix=minted.prefix,
        digest=minted.digest,
        grants=grants,
        created_at=now,
        expires_at=now + lifetime if lifetime is not None else None,
    )
    tell_change("key-issued", actor, key_prefix=key.prefix, operator=operator)
    return key, minted.text
