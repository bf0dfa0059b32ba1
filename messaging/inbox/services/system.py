"""The reserved sender ``workforce``: it has no key and takes no part. See docs/inbox.md."""

from __future__ import annotations

from django.db import IntegrityError, transaction

from messaging.inbox.hands import Hand
from messaging.inbox.models import Inbox
from workforce.models import Actor, Organization
from workforce.services.keys import SYSTEM_PASSNAME
from workforce.services.organizations import ensure_user


def system_actor(organization: Organization) -> Actor:
    """The organization's reserved sender, made at first sight."""
    found = Actor.objects.filter(organization=organization, passname=SYSTEM_PASSNAME).first()
    if found is not None:
        return found
    user = ensure_user(username=SYSTEM_PASSNAME)
    try:
        with transaction.atomic():
            return Actor.objects.create(
                organization=organization, user=user, passname=SYSTEM_PASSNAME, display_name="Workforce"
            )
    except IntegrityError:
        return Actor.objects.get(organization=organization, passname=SYSTEM_PASSNAME)


def system_hand(inbox: Inbox) -> Hand:
    """The reserved sender at work in an inbox: what it can do is send and close its own."""
    return Hand(inbox=inbox, actor=system_actor(inbox.organization))
