"""Adding, freezing and retiring actors. Their keys: workforce/services/keys.py. See docs/identity.md."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from workforce import clock
from workforce.actorerrors import AlreadyFrozen, NotFrozen, PassnameReserved, PassnameTaken
from workforce.errors import InvalidInput
from workforce.models import Actor, Key, Organization, User
from workforce.names import is_seat_id
from workforce.refusals import quoted
from workforce.selectors.actors import get_actor
from workforce.services.keys import (
    SYSTEM_PASSNAME,
    check_expiry,
    check_not_retired,
    checked_grants,
    mint_for,
    revoke_all,
    said,
)
from workforce.services.noticing import tell_change
from workforce.services.organizations import check_display_text, check_identity_name, ensure_membership

_RESERVED = """
    admin administrator all anonymous anybody everybody everyone human humans local localhost me nobody none
    null operator operators root self superuser system undefined unknown
"""
#: Names that would be taken for the service, for its operators, for everybody or for nobody.
RESERVED_PASSNAMES = frozenset([*_RESERVED.split(), SYSTEM_PASSNAME])


def add_actor(
    *,
    organization: Organization,
    passname: str,
    user: User,
    grants: Iterable[str],
    kind: str = Actor.Kind.AGENT,
    display_name: str = "",
    expires_days: int | None = None,
    seat_id: str = "",
) -> tuple[Actor, Key, str]:
    """Add a named participant with its first key; its user becomes a member of the organization.

    Returns the actor, the key's row and the key's text, which is stored nowhere. The passname is stored in
    lower case. Raises InvalidInput for a value out of form, PassnameReserved, UnknownGrant, and PassnameTaken
    for a passname that an actor of the organization has or had; then nothing is written.
    """
    passname = _checked_passname(passname)
    granted = checked_grants(grants)
    check_expiry(expires_days)
    check_display_text("displayName", display_name)
    if kind not in Actor.Kind.values:
        raise InvalidInput.at("kind", f"{quoted(kind)} is not one of {', '.join(sorted(Actor.Kind.values))}")
    if seat_id and not is_seat_id(seat_id):
        raise InvalidInput.at("seatId", f"{quoted(seat_id)} is not a worker's id")
    with transaction.atomic():
        ensure_membership(user=user, organization=organization)
        actor = _create_actor(
            Actor(
                organization=organization,
                user=user,
                passname=passname,
                display_name=display_name,
                kind=kind,
                seat_id=seat_id,
            )
        )
        key, text = mint_for(actor=actor, grants=granted, expires_days=expires_days)
    return actor, key, text


def freeze_actor(*, organization: Organization, passname: str, operator: str = "") -> Actor:
    """Refuse every key of the actor from the next call on; nothing is lost, and it can be undone.

    Raises UnknownPassname, AlreadyFrozen, ActorRetired.
    """
    actor = get_actor(organization, passname)
    with transaction.atomic():
        frozen = _unretired(actor).filter(frozen_at=None).update(frozen_at=clock.now())
        if frozen:
            tell_change("frozen", actor, operator=operator)
    actor.refresh_from_db()
    if not frozen:
        check_not_retired(actor)
        since = f" since {said(actor.frozen_at)}" if actor.frozen_at else ""
        raise AlreadyFrozen(f"'{actor.passname}' is frozen already{since}")
    return actor


def unfreeze_actor(*, organization: Organization, passname: str, operator: str = "") -> Actor:
    """Let a frozen actor's keys count again. Raises UnknownPassname, NotFrozen, ActorRetired."""
    actor = get_actor(organization, passname)
    with transaction.atomic():
        unfrozen = _unretired(actor).filter(frozen_at__isnull=False).update(frozen_at=None)
        if unfrozen:
            tell_change("unfrozen", actor, operator=operator)
    actor.refresh_from_db()
    if not unfrozen:
        check_not_retired(actor)
        raise NotFrozen(f"'{actor.passname}' is not frozen")
    return actor


def retire_actor(*, organization: Organization, passname: str, operator: str = "") -> Actor:
    """End the actor for good: its keys are revoked and its passname stays taken.

    Raises UnknownPassname, ActorRetired.
    """
    with transaction.atomic():
        actor = get_actor(organization, passname)
        now = clock.now()
        # Locks the actor's row, as issuing and rotating do first: no key is issued behind this.
        retired = _unretired(actor).update(retired_at=now)
        actor.refresh_from_db()
        if not retired:
            check_not_retired(actor)
        revoke_all(actor=actor, now=now, operator=operator)
    return actor


def _unretired(actor: Actor) -> QuerySet[Actor]:
    return Actor.objects.filter(pk=actor.pk, retired_at=None)


def _checked_passname(passname: str) -> str:
    lowered = passname.lower()
    check_identity_name("passname", lowered)
    if lowered in RESERVED_PASSNAMES:
        raise PassnameReserved(
            f"the passname '{lowered}' is reserved; choose one that names this participant alone"
        )
    return lowered


def _create_actor(actor: Actor) -> Actor:
    try:
        with transaction.atomic():
            actor.save(force_insert=True)
    except IntegrityError:
        holder = get_actor(actor.organization, actor.passname)
        why = (
            "is taken"
            if holder.retired_at is None
            else "was an actor's that is retired, and is never used again"
        )
        raise PassnameTaken(
            f"the passname '{actor.passname}' {why} in the organization '{actor.organization.slug}'; "
            "choose another"
        ) from None
    return actor
