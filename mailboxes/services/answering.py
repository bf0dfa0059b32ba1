"""The answer to a post: one line, the first that lands. See docs/routing.md, "Answers"."""

from __future__ import annotations

from uuid import UUID

from django.db import IntegrityError, transaction

from mailboxes.errors import AlreadyAnswered
from mailboxes.models import Answer
from mailboxes.services.posting import check_post, post_line
from workforce.errors import NotFound
from workforce.kinds import Call
from workforce.models import Item


def post_answer(*, call: Call, post_id: UUID, body: str, author: str) -> Item:
    """Write a seat's line that answers the post, in the transaction of the call.

    Raises what a post is refused with, NotFound when the mailbox has no such post of a person, and
    AlreadyAnswered when a line answers it; a refusal writes nothing and leaves the answer open.
    """
    check_post(call=call, author=author)
    posts = Item.objects.filter(session=call.session, line_seq__isnull=False, seat_authored=False)
    if not posts.filter(pk=post_id).exists():
        raise NotFound(f"the mailbox '{call.session.address}' has no post '{post_id}' of a person")
    if is_answered(post_id):
        raise AlreadyAnswered.of(str(post_id))
    try:
        with transaction.atomic():
            line = post_line(call=call, body=body, author=author, seat_authored=True)
            Answer.objects.create(post_id=post_id, line=line)
    except IntegrityError:  # somebody answered at this moment
        raise AlreadyAnswered.of(str(post_id)) from None
    return line


def is_answered(post_id: UUID) -> bool:
    """Whether a line answers the post."""
    return Answer.objects.filter(pk=post_id).exists()
