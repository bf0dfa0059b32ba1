"""Which seats owe an answer from outside: for the roster."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q

from messaging.external.models import OutsideItem
from messaging.inbox.models import Receipt


def owes_answers() -> Q:
    """Seats whose agent outside has an item open that it was told of."""
    still_open = Receipt.objects.filter(Receipt.IS_OPEN, message=OuterRef("message"))
    told = OutsideItem.objects.filter(seat=OuterRef("pk"), message__closed_at=None)
    return Q(Exists(told.filter(Exists(still_open))))
