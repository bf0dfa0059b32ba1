"""The route ledger of a mailbox, as the decision on one post needs it. See docs/routing.md, "The ledger"."""

from __future__ import annotations

from uuid import UUID

from django.db import connection

from mailboxes.models import Placement
from mailboxes.routing import RECENT_LINES, By, LastPost
from workforce.kinds.posts import SaidLine
from workforce.models import Item, Session
from workforce.sql.writing import adapted


def said(line: Item) -> SaidLine:
    """A line as evaluators and routed members are shown it."""
    return {"from": line.author or line.principal, "text": line.body}


def recent_lines(post: Item) -> list[SaidLine]:
    """The last lines before the post, oldest first."""
    lines = Item.objects.filter(session=post.session_id, line_seq__lt=post.line_seq)
    latest = lines.only("author", "principal", "body").order_by("-line_seq")[:RECENT_LINES]
    return [said(line) for line in reversed(latest)]


def last_post(post: Item) -> LastPost | None:
    """The person's post before this one, where it went, and the seats that wrote a line since, until now."""
    lines = Item.objects.filter(session=post.session_id)
    before = lines.filter(line_seq__lt=post.line_seq, seat_authored=False).order_by("-line_seq")
    last = before.only("pk", "line_seq").first()
    if last is None:
        return None
    placed = find_placement(last.pk)
    if placed is None:
        return LastPost(str(last.pk))
    since = lines.filter(line_seq__gt=last.line_seq, seat_authored=True)
    spoke = frozenset(since.values_list("author", flat=True))
    return LastPost(str(last.pk), By(placed.by), placed.member, spoke)


_HOW_ROUTED = """
SELECT
    (SELECT fallback FROM mailboxes_declaration WHERE organization_id = %s AND mailbox_id = %s AND live),
    EXISTS (SELECT 1 FROM mailboxes_placement WHERE post_id = %s)
"""


def how_routed(session: Session, post_id: UUID) -> tuple[str, bool]:
    """The member that takes a post nobody fits, empty when the mailbox does not route today; and whether it was
    decided before where this post went.
    """
    params = [session.organization_id, session.address, adapted(Placement, "post_id", post_id)]
    with connection.cursor() as cursor:
        cursor.execute(_HOW_ROUTED, params)
        fallback, placed = cursor.fetchone()
    return fallback or "", bool(placed)


def find_placement(post_id: UUID) -> Placement | None:
    """Where the post went, when that was decided before."""
    return Placement.objects.filter(pk=post_id).first()
