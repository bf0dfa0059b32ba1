"""What the page of one inbox shows, in a constant number of queries."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, Min
from django.http import HttpRequest
from django.urls import reverse

from messaging.admin.plots import Bar, bars
from messaging.inbox.models import Inbox, InboxEvent, Message, Participation, PayloadSchema
from messaging.inbox.selectors.audit import events_of, incidents_of
from messaging.inbox.selectors.flow import Flow, flow_of, sends_of
from messaging.inbox.selectors.inboxes import participants_of, window_of
from messaging.inbox.selectors.messages import Standing, messages_of, open_standings_of
from messaging.inbox.selectors.owing import LOOKED_AT, OpenWork, open_requests, open_work, standing_of
from messaging.inbox.statistics import Spread, share
from workforce import clock
from workforce.admin.access import may_own
from workforce.admin.shown import NOTHING, ago, exact, page_of, pretty, shortened, when

#: How many participants, requests, messages, incidents and events the page shows.
PARTICIPANTS, REQUESTS, MESSAGES, INCIDENTS, EVENTS = 100, 20, 15, 15, 20
#: How many recipients of a request are named.
NAMED = 12
HOURS = 24
STATES = {"active": "success", "frozen": "info", "retired": "warning", "left": "warning"}
_TIMES = ("≤1s", "≤10s", "≤1m", "≤10m", "≤1h", "≤6h", "≤1d", ">1d")


def inbox_context(request: HttpRequest, inbox: Inbox) -> dict[str, Any]:
    """The context of the inbox's page."""
    now = clock.now()
    work, flow = open_work(inbox, now=now), flow_of(inbox, now=now, hours=HOURS)
    messages = f"{reverse('admin:messaging_message_changelist')}?inbox={inbox.pk}"
    return {
        "inbox": inbox,
        "window": window_of(inbox),
        "cards": _cards(inbox, work, flow, messages),
        "people": _people(inbox, work),
        "people_left_out": max(0, participants_of(inbox).count() - PARTICIPANTS),
        "may_own": may_own(request, inbox.organization_id),
        "requests": _requests(inbox),
        "requests_left_out": max(0, work.requests - REQUESTS),
        "plots": _plots(flow, now),
        "since": exact(flow.since),
        "is_capped": flow.is_capped,
        "messages_shown": [
            message_row(message) for message in messages_of(inbox).order_by("-seq")[:MESSAGES]
        ],
        "messages_url": messages,
        "join_url": reverse("admin:messaging_inbox_join", args=[inbox.pk]),
        "incidents": [
            {"incident": incident, "minute": exact(incident.minute), "ago": ago(incident.minute)}
            for incident in incidents_of(inbox).order_by("-pk")[:INCIDENTS]
        ],
        "events": event_rows(events_of(inbox).order_by("-pk")[:EVENTS]),
        "schemas": [
            {"row": row, "text": pretty(row.schema)}
            for row in PayloadSchema.objects.filter(inbox=inbox).order_by("topic", "type")[:100]
        ],
    }


def _cards(inbox: Inbox, work: OpenWork, flow: Flow, messages: str) -> list[dict[str, Any]]:
    sends, refused = sends_of(inbox), sum(count for _, count in flow.incidents)
    rejected = sum(count for _, count in flow.rejections)
    more = "+" if work.is_capped else ""
    folded = share(sends.duplicates + sends.retries, sends.all)
    target = duration(settings.INBOX_SERVICE_TARGET * 1000)
    return [
        _card("open requests", f"{work.requests}{more}", _oldest(work), url=f"{messages}&state=unsettled"),
        _card(f"older than {target}", f"{work.late}{more}", "the service target", bad=work.late),
        _card("open receipts", str(work.pending + work.delivered), f"{work.pending} not pulled yet"),
        _card("approvals waited for", f"{work.approvals}{more}", _since(work.oldest_approval_at)),
        _card("folded sends", f"{folded:.1%}" if folded is not None else NOTHING, f"of {sends.all}"),
        _card("refused sends", str(rejected), f"in {HOURS} h"),
        _card("refused keys", str(refused), f"in {HOURS} h", bad=refused),
    ]


def _card(name: str, number: str, note: str, *, url: str = "", bad: int = 0) -> dict[str, Any]:
    return {"name": name, "number": number, "note": note, "url": url, "tone": "bad" if bad else ""}


def _oldest(work: OpenWork) -> str:
    return f"oldest {ago(work.oldest.created_at)}" if work.oldest else "none is open"


def _since(moment: datetime | None) -> str:
    return f"oldest {ago(moment)}" if moment else "none"


def _people(inbox: Inbox, work: OpenWork) -> list[dict[str, Any]]:
    """Those who owe something, then the others; with what each waits for."""
    owing = {owed.place.pk: owed for owed in work.owing}
    shown: list[Participation] = [owed.place for owed in work.owing[:PARTICIPANTS]]
    others = participants_of(inbox).filter(pending=0, delivered=0).order_by("actor__passname")
    shown += others[: PARTICIPANTS - len(shown)] if len(shown) < PARTICIPANTS else []
    looked_at = open_requests(inbox).order_by("created_at").values("pk")[:LOOKED_AT]
    waits = {
        row["sender_id"]: row
        for row in Message.objects.filter(pk__in=looked_at)
        .order_by()
        .values("sender_id")
        .annotate(count=Count("pk"), oldest=Min("created_at"))
    }
    return [_person(place, owing.get(place.pk), waits.get(place.actor_id)) for place in shown]


def _person(place: Participation, owed: Any, waits: Any) -> dict[str, Any]:
    state = standing_of(place)
    return {
        "place": place,
        "passname": place.actor.passname,
        "kind": place.actor.kind,
        "url": page_of(place.actor),
        "state": state,
        "label": STATES[state],
        "open": place.pending + place.delivered,
        "oldest": when(owed.oldest_request_at) if owed and owed.oldest_request_at else "",
        "waits": waits["count"] if waits else 0,
        "waits_oldest": when(waits["oldest"]) if waits else "",
        "pulled": when(place.last_pulled_at) if place.last_pulled_at else "never",
        "takes_part": place.left_at is None and place.actor.retired_at is None,
        "is_left": place.left_at is not None and place.actor.retired_at is None,
    }


def _requests(inbox: Inbox) -> list[dict[str, Any]]:
    """The open requests, the oldest first, each with whom it waits for."""
    found = list(open_requests(inbox).order_by("created_at")[:REQUESTS])
    standings = open_standings_of(found, most=NAMED)
    due = clock.now() - timedelta(seconds=settings.INBOX_SERVICE_TARGET)
    return [
        message_row(message)
        | {"is_late": message.created_at < due, "waiting": _waiting_for(message, standings[message.pk])}
        for message in found
    ]


def _waiting_for(message: Message, named: list[Standing]) -> dict[str, Any]:
    """Who has a message open, as a page names them."""
    return {
        "named": [(one.passname, _stand(one)) for one in named],
        "more": max(0, message.open_receipts - len(named)),
    }


def _stand(one: Standing) -> str:
    gone = "retired" if one.retired else "left" if one.left else "frozen" if one.frozen else ""
    return f"{one.state}, {gone}" if gone else one.state


def message_row(message: Message) -> dict[str, Any]:
    """A message on a line; its text is a stranger's."""
    done = message.recipient_count - message.open_receipts
    return {
        "message": message,
        "url": page_of(message),
        "text": "(taken away)" if message.removed_at else shortened(message.excerpt, 120),
        "age": when(message.created_at),
        "stand": f"{done} of {message.recipient_count} closed",
    }


def event_rows(events: Iterable[InboxEvent]) -> list[dict[str, Any]]:
    """Events as lists show them."""
    return [
        {
            "event": event,
            "words": event.get_kind_display(),
            "url": reverse("admin:messaging_message_change", args=[event.message_id])
            if event.message_id
            else "",
            "exact": exact(event.at),
            "ago": ago(event.at),
        }
        for event in events
    ]


def _plots(flow: Flow, now: datetime) -> list[dict[str, Any]]:
    return [
        _times_plot(
            "Delivery: from sending to the first pull", "delivery", flow.delivery, flow.delivery_counts
        ),
        _times_plot(
            "Completion: from the pull to completing", "completion", flow.completion, flow.completion_counts
        ),
        {
            "title": "Messages an hour",
            "svg": bars(title="Messages an hour", name="plot-hours", items=_hours(flow, now)),
            "words": f"{flow.messages} in the time shown",
        },
    ]


def _times_plot(title: str, name: str, spread: Spread, counts: list[int]) -> dict[str, Any]:
    items = [Bar(label, count) for label, count in zip(_TIMES, counts, strict=True)]
    words = "none"
    if spread.p50 is not None and spread.p95 is not None:
        words = f"{spread.count} · half within {duration(spread.p50)} · 95 % within {duration(spread.p95)}"
    return {"title": title, "svg": bars(title=title, name=f"plot-{name}", items=items), "words": words}


def _hours(flow: Flow, now: datetime) -> list[Bar]:
    counts: dict[datetime, int] = {}
    for hour, _, count in flow.by_hour:
        counts[hour] = counts.get(hour, 0) + count
    last = now.replace(minute=0, second=0, microsecond=0)
    hours = [last - timedelta(hours=back) for back in range(HOURS - 1, -1, -1)]
    return [
        Bar(f"{hour:%H}" if hour.hour % 6 == 0 else "", counts.get(hour, 0), f"{hour:%H}:00 UTC")
        for hour in hours
    ]


def duration(ms: int) -> str:
    """A span of time in its largest unit that fits."""
    for size, unit in ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1000, "s")):
        if ms >= size:
            return f"{ms / size:.3g}\N{NO-BREAK SPACE}{unit}"
    return f"{ms}\N{NO-BREAK SPACE}ms"
