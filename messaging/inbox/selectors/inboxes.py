"""Finding inboxes, and who may reach them."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from django.db.models import QuerySet

from messaging.inbox.errors import UnknownInbox, nothing_here
from messaging.inbox.hands import Hand
from messaging.inbox.models import Inbox, Participation
from workforce.callers import Caller
from workforce.models import Actor, Organization
from workforce.nearest import unknown_words
from workforce.refusals import is_storable
from workforce.sql.reading import Statement

#: Every call of a key reads this, so it reads what a call needs; anything else loads when it is asked for.
_PLACE = Statement(
    [
        (
            Participation,
            "place",
            (
                "id",
                "inbox_id",
                "actor_id",
                "joined_at",
                "pending",
                "delivered",
                "newest_seq",
                "last_pulled_at",
            ),
        ),
        (
            Inbox,
            "inbox",
            ("id", "organization_id", "slug", "duplicate_window", "message_seq", "schema_count"),
        ),
        (Actor, "actor", ("id", "passname", "display_name", "kind")),
    ],
    "FROM messaging_participation place JOIN messaging_inbox inbox ON inbox.id = place.inbox_id "
    "JOIN workforce_actor actor ON actor.id = place.actor_id "
    "WHERE place.actor_id = %s AND place.left_at IS NULL AND inbox.slug = %s AND inbox.organization_id = %s",
)


def access_inbox(caller: Caller, slug: str) -> Hand:
    """The caller's hand in an inbox that it takes part in, in one query. Raises NotFound for any other."""
    if not is_storable(slug):
        raise nothing_here()
    found = _PLACE.read([caller.actor_id or 0, slug, caller.organization.pk])
    if not found:
        raise nothing_here()
    place, inbox, actor = found[0]  # there is one at most
    place.inbox, place.actor = inbox, actor
    return Hand(inbox=inbox, actor=actor, participation=place, key_prefix=caller.key_prefix)


def get_inbox(organization: Organization, slug: str) -> Inbox:
    """An organization's inbox. Raises UnknownInbox, with the nearest ones."""
    found = inboxes_of(organization).filter(slug=slug).first() if is_storable(slug) else None
    if found is None:
        known = inboxes_of(organization).values_list("slug", flat=True)
        raise UnknownInbox(
            unknown_words("inbox", [slug], known) + "; make it with 'manage.py inbox create SLUG'"
        )
    return found


def inboxes_of(organization: Organization) -> QuerySet[Inbox]:
    """An organization's inboxes, by slug."""
    return Inbox.objects.filter(organization=organization).select_related("organization").order_by("slug")


def inboxes_for(caller: Caller) -> QuerySet[Inbox]:
    """The inboxes that a key's actor takes part in."""
    mine = Participation.objects.filter(actor_id=caller.actor_id or 0, left_at=None)
    return inboxes_of(caller.organization).filter(pk__in=mine.values("inbox"))


def participants_of(inbox: Inbox) -> QuerySet[Participation]:
    """Who takes part in an inbox, and who did, with their actors."""
    return Participation.objects.filter(inbox=inbox).select_related("actor")


def window_of(inbox: Inbox) -> int:
    """In how many seconds an equal send is folded; 0 for never."""
    window = inbox.duplicate_window
    return int(settings.INBOX_DUPLICATE_WINDOW) if window is None else window


def joined_inboxes(actors: Iterable[Actor]) -> dict[int, list[str]]:
    """For each actor that takes part somewhere, the slugs of its inboxes, in the order of its joining."""
    places = Participation.objects.filter(actor__in=[actor.pk for actor in actors], left_at=None)
    found: dict[int, list[str]] = {}
    for key, slug in places.order_by("joined_at", "pk").values_list("actor_id", "inbox__slug"):
        found.setdefault(key, []).append(slug)
    return found
