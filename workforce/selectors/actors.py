"""Reading actors and their keys. See docs/identity.md."""

from __future__ import annotations

from datetime import datetime

from django.db.models import QuerySet

from workforce.actorerrors import UnknownPassname
from workforce.models import Actor, Key, Organization
from workforce.nearest import nearest
from workforce.refusals import is_storable, quoted


def list_actors(organization: Organization) -> QuerySet[Actor]:
    """The organization's actors with their users, by passname."""
    return Actor.objects.filter(organization=organization).select_related("user").order_by("passname")


def list_keys(organization: Organization, *, passname: str | None = None) -> QuerySet[Key]:
    """The organization's keys, or one actor's, oldest first. Raises UnknownPassname."""
    keys = Key.objects.filter(actor__organization=organization)
    if passname is not None:
        keys = keys.filter(actor=get_actor(organization, passname))
    return keys.select_related("actor").order_by("actor__passname", "pk")


def get_actor(organization: Organization, passname: str, *, lock: bool = False) -> Actor:
    """The actor of a passname in any case, its row locked when asked (in a transaction).

    Raises UnknownPassname, naming the nearest passname of this organization.
    """
    actors = Actor.objects.select_for_update() if lock else Actor.objects.all()
    lowered = passname.lower()
    named = actors.filter(organization=organization, passname=lowered)
    actor = named.first() if is_storable(lowered) else None
    if actor is not None:
        return actor
    near = nearest(lowered, list_actors(organization).values_list("passname", flat=True))
    hint = f"; did you mean {quoted(near)}?" if near else ""
    raise UnknownPassname(
        f"no actor of the organization '{organization.slug}' has the passname {quoted(passname)}{hint}"
    )


def actor_state(actor: Actor) -> str:
    """``active``, ``frozen`` or ``retired``."""
    if actor.retired_at is not None:
        return "retired"
    return "frozen" if actor.frozen_at is not None else "active"


def key_state(key: Key, *, now: datetime) -> str:
    """What a call with this key meets: ``live``, ``revoked``, ``expired`` or ``frozen``.

    The order is that of authenticating; a retired actor's keys are revoked.
    """
    if key.revoked_at is not None or key.actor.retired_at is not None:
        return "revoked"
    if key.expires_at is not None and key.expires_at <= now:
        return "expired"
    return "frozen" if key.actor.frozen_at is not None else "live"
