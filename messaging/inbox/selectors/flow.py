"""What went through an inbox lately: how much, how fast, how well. See docs/inbox.md, "Metrics"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from django.db.models import F, QuerySet, Sum

from messaging.inbox.models import Inbox, InboxEvent, Message, Receipt
from messaging.inbox.receipts import State, Type
from messaging.inbox.selectors.audit import incidents_of
from messaging.inbox.statistics import Spread, counts_up_to

Kind = InboxEvent.Kind

#: So many messages, and so many events of a kind, are looked at, the newest.
SAMPLE = 2_000
#: Bytes up to which payloads are counted together; what is larger is counted last.
SIZES = (256, 1024, 4096, 16_384, 65_536, 262_144)
#: Milliseconds up to which times are counted together; what takes longer is counted last.
TIMES = (1000, 10_000, 60_000, 600_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000)
_COLUMNS = (
    *("pk", "type", "topic", "sender_id", "replying_to_id", "depth", "payload_size", "recipient_count"),
    "created_at",
)


class Letter(NamedTuple):
    """Of a message what its figures are made of."""

    pk: UUID
    type: str
    topic: str
    sender_id: int
    replying_to_id: UUID | None
    depth: int
    payload_size: int
    recipient_count: int
    created_at: datetime


class Sends(NamedTuple):
    """The sends since the inbox was made: stored, folded by their content, and by their ``Idempotency-Key``."""

    messages: int
    duplicates: int
    retries: int

    @property
    def all(self) -> int:
        """How many sends there were."""
        return sum(self)


def sends_of(inbox: Inbox) -> Sends:
    """How many sends there were, and how many of them were folded; as they are in the database."""
    counters = Inbox.objects.filter(pk=inbox.pk).values_list("message_seq", "duplicates", "retries")
    return Sends(*counters.get())


@dataclass(frozen=True, slots=True)
class Flow:
    """What happened since ``since``; times in milliseconds."""

    since: datetime
    messages: int
    #: More messages were sent than were looked at: ``since`` is the oldest of those.
    is_capped: bool
    delivery: Spread
    delivery_counts: list[int]
    completion: Spread
    completion_counts: list[int]
    approval: Spread
    completed: int
    completed_by_topic: list[tuple[str, int]]
    rejections: list[tuple[str, int]]
    requests: int
    clarified: int
    depth: Spread
    sizes: Spread
    size_counts: list[int]
    recipients: Spread
    by_hour: list[tuple[datetime, str, int]]
    incidents: list[tuple[str, int]]


def flow_of(inbox: Inbox, *, now: datetime, hours: int, sample: int = SAMPLE) -> Flow:
    """What went through the inbox in the last hours; at most six queries over at most ``sample`` rows each."""
    asked = now - timedelta(hours=hours)
    rows = Message.objects.filter(inbox=inbox, created_at__gte=asked).order_by("-created_at")
    letters = [Letter(*row) for row in rows.values_list(*_COLUMNS)[: sample + 1]]
    is_capped = len(letters) > sample
    letters = letters[:sample]
    since = letters[-1].created_at if is_capped else asked
    ended = _completions(inbox, since, sample)
    asking = [letter for letter in letters if letter.type == Type.REQUEST]
    topics = _topics(ended)
    deliveries = _delivery_times(inbox, since, sample)
    completions = [
        _ms(done.closed_at - done.delivered_at) for done in ended if done.from_state == State.DELIVERED
    ]
    return Flow(
        since=since,
        messages=len(letters),
        is_capped=is_capped,
        delivery=Spread.of(deliveries),
        delivery_counts=counts_up_to(deliveries, TIMES),
        completion=Spread.of(completions),
        completion_counts=counts_up_to(completions, TIMES),
        approval=Spread.of(_ms(done.closed_at - done.created_at) for done in ended if done.approval),
        completed=sum(count for _, count in topics),
        completed_by_topic=topics,
        rejections=_counted(_events(inbox, Kind.REJECTED, since).values_list("code", flat=True)[:sample]),
        requests=len(asking),
        clarified=len(_clarified(letters, {letter.pk: letter for letter in asking})),
        depth=Spread.of(letter.depth for letter in letters),
        sizes=Spread.of(letter.payload_size for letter in letters),
        size_counts=counts_up_to((letter.payload_size for letter in letters), SIZES),
        recipients=Spread.of(letter.recipient_count for letter in letters),
        by_hour=_by_hour(letters),
        incidents=_incidents(inbox, since),
    )


class _Done(NamedTuple):
    message: UUID
    from_state: str
    type: str
    topic: str
    approval: bool
    created_at: datetime
    delivered_at: datetime
    closed_at: datetime


def _events(inbox: Inbox, kind: Kind, since: datetime) -> QuerySet[InboxEvent]:
    return InboxEvent.objects.filter(inbox=inbox, kind=kind, at__gte=since).order_by("-at")


def _completions(inbox: Inbox, since: datetime, sample: int) -> list[_Done]:
    """The receipts that were completed, the newest."""
    own = {"message__receipts__recipient": F("actor"), "message__receipts__state": State.COMPLETED}
    rows = _events(inbox, Kind.COMPLETED, since).filter(**own)
    columns = rows.values_list(
        *("message_id", "from_state", "message__type", "message__topic", "message__approval"),
        *("message__created_at", "message__receipts__delivered_at", "message__receipts__closed_at"),
    )
    return [_Done(*row) for row in columns[:sample]]


def _delivery_times(inbox: Inbox, since: datetime, sample: int) -> list[int]:
    own = {"message__receipts__recipient": F("actor"), "message__receipts__delivered_at__isnull": False}
    rows = _events(inbox, Kind.DELIVERED, since).filter(**own)
    times = rows.values_list("message__created_at", "message__receipts__delivered_at")
    return [_ms(delivered - created) for created, delivered in times[:sample] if delivered is not None]


def _topics(ended: Iterable[_Done]) -> list[tuple[str, int]]:
    """In which topics requests were completed, each counted once."""
    requests = {done.message: done.topic for done in ended if done.type == Type.REQUEST}
    return _counted(requests.values())


def _clarified(letters: Iterable[Letter], asked: dict[UUID, Letter]) -> set[UUID]:
    """The requests that somebody else answered by a request or a message before anybody had completed them.

    A reply is newer than what it answers, so all replies to the requests are among the letters. One that a
    completion names is the answer itself.
    """
    asking_back = [
        (letter, letter.replying_to_id)
        for letter in letters
        if letter.replying_to_id in asked
        and letter.type in (Type.REQUEST, Type.MESSAGE)
        and letter.sender_id != asked[letter.replying_to_id].sender_id
    ]
    ends: dict[UUID, datetime] = {}
    answers: set[UUID | None] = set()
    completed = Receipt.objects.filter(message_id__in={pk for _, pk in asking_back}, state=State.COMPLETED)
    for message, closed_at, reply in (
        completed.values_list("message_id", "closed_at", "reply_id") if asking_back else ()
    ):
        assert closed_at is not None
        ends[message] = min(closed_at, ends.get(message, closed_at))
        answers.add(reply)
    return {
        pk
        for letter, pk in asking_back
        if letter.pk not in answers and (pk not in ends or letter.created_at < ends[pk])
    }


def _by_hour(letters: Iterable[Letter]) -> list[tuple[datetime, str, int]]:
    """How many messages each topic had in each hour that had some, the oldest hour first."""
    hours = Counter(
        (letter.created_at.replace(minute=0, second=0, microsecond=0), letter.topic) for letter in letters
    )
    return [(hour, topic, count) for (hour, topic), count in sorted(hours.items())]


def _incidents(inbox: Inbox, since: datetime) -> list[tuple[str, int]]:
    minute = since.replace(second=0, microsecond=0)
    rows = incidents_of(inbox).filter(minute__gte=minute).order_by().values_list("reason")
    return sorted(rows.annotate(total=Sum("count")), key=_most)


def _counted(words: Iterable[str]) -> list[tuple[str, int]]:
    return sorted(Counter(words).items(), key=_most)


def _most(entry: tuple[str, int]) -> tuple[int, str]:
    """The most frequent first, equal ones by name."""
    return (-entry[1], entry[0])


def _ms(span: timedelta) -> int:
    return max(0, round(span.total_seconds() * 1000))
