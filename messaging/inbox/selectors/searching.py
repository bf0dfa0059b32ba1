"""Finding messages by words. See docs/inbox.md, "Search"."""

from __future__ import annotations

from django.db.models import FilteredRelation, Q, QuerySet

from messaging.inbox.hands import Hand
from messaging.inbox.models import Message
from messaging.inbox.wording import wanted_texts


def narrow_by_words(rows: QuerySet[Message], query: str) -> QuerySet[Message]:
    """The messages in which every word and phrase of the query occurs, as it is written, in any case.

    Both sides are folded before they are compared, so the databases compare letters and nothing else; on PostgreSQL
    a trigram index finds the candidates.
    """
    for text in wanted_texts(query):
        rows = rows.filter(words__contains=text)
    return rows


def with_own_state(hand: Hand, rows: QuerySet[Message], state: str) -> QuerySet[Message]:
    """The messages that stand so for the actor; its receipt of each is ``own``."""
    mine = Q(receipts__recipient=hand.actor, receipts__inbox=hand.inbox)
    return rows.annotate(own=FilteredRelation("receipts", condition=mine)).filter(own__state=state)
