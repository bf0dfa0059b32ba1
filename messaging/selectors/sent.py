"""What was sent. See docs/worker-messages.md."""

from __future__ import annotations

from messaging.errors import NoSuchMessage
from messaging.models import WorkerMessage
from workforce.models import Request, Seat, Session
from workforce.refusals import is_storable, quoted

Status = WorkerMessage.Status


def find_sent(key: str) -> WorkerMessage | None:
    """What an earlier run of the same turn sent under this key, or what its recipient's side refused then."""
    return WorkerMessage.objects.filter(dispatch_key=key).first()


def access_answered(*, place: Session, seat: Seat, to: str, message_id: str) -> WorkerMessage:
    """The message of this id that ``to`` sent to the seat. Raises NoSuchMessage."""
    rows = WorkerMessage.objects.filter(
        message_id=message_id,
        organization=place.organization_id,
        owner=place.owner_id,
        sender=to,
        recipient=seat.seat_id,
        status=Status.DELIVERED,
    )
    message = rows.select_related("from_session").first() if is_storable(message_id) else None
    if message is None:
        raise NoSuchMessage(
            f"{quoted(to)} sent you no message {quoted(message_id)}; leave replyTo out to send a new one"
        )
    return message


def count_sent(request: Request) -> int:
    """How many messages a turn has sent, in all its runs."""
    return WorkerMessage.objects.filter(request_uid=request.uid).exclude(status=Status.REFUSED).count()


def has_messaged(request: Request, worker_id: str) -> bool:
    """Whether a turn messaged this worker, also in a run of it that died since."""
    sent = WorkerMessage.objects.filter(request_uid=request.uid, recipient=worker_id)
    return sent.exclude(status=Status.REFUSED).exists()
