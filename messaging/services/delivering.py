"""Where a message lands: the recipient's own conversation, or the one that asked. See docs/worker-messages.md."""

from __future__ import annotations

from django.conf import settings

from messaging.models import WorkerMessage
from workforce.callers import Caller
from workforce.errors import ExternalDispatcher
from workforce.kinds import Call
from workforce.models import Request, Seat, Session
from workforce.services.conversing import ensure_worker_session

#: Turns about one piece of work, and the topics of their sessions: who asked there is answered elsewhere.
_PASSING_ACTIONS = ("work", "onDelegatedPost")
_PASSING_TOPICS = ("task:", "delegated")


def land(*, call: Call, recipient: Seat, answers: WorkerMessage | None) -> Session:
    """The session in which the recipient reads the message, made when it is missing.

    An answer lands where the answered message was sent from, unless that was for a task or a coordinator's post.
    Raises ExternalDispatcher where nothing may be dispatched, and what a new conversation may be refused for.
    """
    if settings.DISPATCH == "disabled":
        raise ExternalDispatcher
    asked = answers.from_session if answers is not None else None
    if asked is not None and answers is not None and _takes_answer(asked, recipient, answers):
        return asked
    caller = Caller(user=call.session.owner, organization=call.session.organization)
    session, _ = ensure_worker_session(caller=caller, worker_id=recipient.seat_id)
    return session


def _takes_answer(asked: Session, recipient: Seat, answers: WorkerMessage) -> bool:
    """Whether the session that asked is a conversation of the recipient, as it is now, to which one comes back."""
    if (asked.seat_id, asked.kind) != (recipient.pk, recipient.kind):
        return False  # fired and hired anew, or of another kind since
    turn = Request.objects.filter(uid=answers.request_uid, action__in=_PASSING_ACTIONS)
    return not asked.topic.startswith(_PASSING_TOPICS) and not turn.exists()
