"""The route ledger of a mailbox, as the decision on one post needs it. See docs/routing.md, "The ledger"."""

from __future__ import annotations

from uuid import UUID

from mailboxes.models import Placement
from mailboxes.routing import RECENT_LINES, By, LastPost
from workforce.kinds.posts import SaidLine
from workforce.models import Item


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


def is_placed(post_id: UUID) -> bool:
    """Whether it was decided before where the post went."""
    return Placement.objects.filter(pk=post_id).exists()


def find_placement(post_id: UUID) -> Placement | None:
    """Where the post went, when that was decided before."""
    return Placement.objects.filter(pk=post_id).first()
