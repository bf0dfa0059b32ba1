"""Making inboxes, and who takes part in them. See docs/inbox.md, "Setting up"."""

from __future__ import annotations

from django.db import IntegrityError, transaction

from messaging.inbox.errors import AlreadyJoined, InboxTaken, NotJoined
from messaging.inbox.models import Inbox, InboxEvent, Participation
from messaging.inbox.services.recording import record_about
from workforce import clock
from workforce.actorerrors import PassnameReserved
from workforce.errors import InvalidInput
from workforce.models import Actor, Organization
from workforce.selectors.actors import get_actor
from workforce.services.keys import SYSTEM_PASSNAME, check_not_retired
from workforce.services.organizations import check_identity_name

LONGEST_WINDOW = 86_400


def create_inbox(*, organization: Organization, slug: str, duplicate_window: int | None = None) -> Inbox:
    """Make an inbox, with nobody in it. Raises InvalidInput, InboxTaken."""
    check_identity_name("slug", slug)
    check_window(duplicate_window)
    try:
        with transaction.atomic():
            return Inbox.objects.create(
                organization=organization, slug=slug, duplicate_window=duplicate_window
            )
    except IntegrityError:
        raise InboxTaken(
            f"the organization '{organization.slug}' has an inbox '{slug}' already; choose another slug"
        ) from None


def set_window(*, inbox: Inbox, seconds: int | None) -> Inbox:
    """Set in how many seconds an equal send is folded; None is the setting's. Raises InvalidInput."""
    check_window(seconds)
    Inbox.objects.filter(pk=inbox.pk).update(duplicate_window=seconds)
    inbox.duplicate_window = seconds
    return inbox


def check_window(seconds: int | None) -> None:
    """Raise InvalidInput unless the window is None or 0 seconds to a day."""
    if seconds is not None and not 0 <= seconds <= LONGEST_WINDOW:
        raise InvalidInput.at("duplicateWindow", f"must be 0 to {LONGEST_WINDOW} seconds")


def join_inbox(*, inbox: Inbox, passname: str, operator: str = "") -> Participation:
    """Let an actor take part: it can reach the inbox's history, and is sent what is sent from now on.

    Who left and joins again has its receipts as they were. Raises UnknownPassname, PassnameReserved, ActorRetired,
    AlreadyJoined.
    """
    actor = get_actor(inbox.organization, passname)
    if actor.passname == SYSTEM_PASSNAME:
        raise PassnameReserved(f"'{SYSTEM_PASSNAME}' is the reserved sender, and takes no part in an inbox")
    check_not_retired(actor)
    with transaction.atomic():
        _lock(inbox)
        place, is_new = Participation.objects.get_or_create(inbox=inbox, actor=actor)
        if not is_new and place.left_at is None:
            raise AlreadyJoined(f"'{actor.passname}' takes part in '{inbox.slug}' already")
        if not is_new:
            place.left_at, place.joined_at = None, clock.now()
            place.save(update_fields=["left_at", "joined_at"])
        _record(inbox, InboxEvent.Kind.JOINED, actor, operator)
    return place


def leave_inbox(*, inbox: Inbox, passname: str, operator: str = "") -> Participation:
    """End an actor's part: it reaches nothing of the inbox any more, and its open receipts are owed by nobody.

    Raises UnknownPassname, NotJoined.
    """
    actor = get_actor(inbox.organization, passname)
    with transaction.atomic():
        _lock(inbox)
        left = Participation.objects.filter(inbox=inbox, actor=actor, left_at=None).update(
            left_at=clock.now()
        )
        if not left:
            raise NotJoined(f"'{actor.passname}' takes no part in '{inbox.slug}'")
        _record(inbox, InboxEvent.Kind.LEFT, actor, operator)
    return Participation.objects.select_related("actor").get(inbox=inbox, actor=actor)


def _lock(inbox: Inbox) -> None:
    """No send is under way while somebody joins or leaves."""
    Inbox.objects.select_for_update(no_key=True).get(pk=inbox.pk)


def _record(inbox: Inbox, kind: InboxEvent.Kind, actor: Actor, operator: str) -> None:
    record_about(inbox=inbox, kind=kind, actor=actor, operator=operator)
