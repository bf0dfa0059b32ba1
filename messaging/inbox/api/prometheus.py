"""The figures of inboxes as Prometheus text. It carries no passname and no text of anybody."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any

from django.db import DatabaseError
from prometheus_client import REGISTRY
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from messaging.inbox.models import Inbox
from messaging.inbox.selectors.flow import SIZES, Flow, flow_of, sends_of
from messaging.inbox.selectors.owing import OpenWork, open_work
from messaging.inbox.statistics import Spread, share
from workforce import clock

#: The figures of what went through are of so many hours, from so many messages of an inbox.
HOURS, SAMPLE = 24, 1000
#: So many seconds an answer takes at most; the inboxes that it did not come to are counted.
SECONDS = 3.0
#: So many topics of an inbox have a label of their own; the others share an empty one.
TOPICS = 20

#: Name without prefix, what it says, and its label beside the inbox, if it has one.
_GAUGES: dict[str, tuple[str, str]] = {
    "receipts": ("Open receipts.", "state"),
    "open_requests": ("Requests neither closed by their sender nor by all recipients.", ""),
    "open_requests_late": ("Those that are older than the service target.", ""),
    "oldest_request_seconds": ("Age of the oldest of them; absent when there is none.", ""),
    "sends_total": ("Sends since the inbox was made: stored, or folded into an earlier one.", "result"),
    "folded_ratio": ("Share of sends that were folded; absent when there is none.", "result"),
    "messages": ("Messages that were sent in the window, by topic.", "topic"),
    "window_seconds": ("How far back the figures of the window go.", ""),
    "delivery_seconds": ("From sending to the first pull.", "quantile"),
    "completion_seconds": ("From the first pull to completing.", "quantile"),
    "approval_wait_seconds": ("From sending a request for approval to its completion.", "quantile"),
    "approvals_waiting": ("Requests for approval that are open.", ""),
    "requests_completed": ("Requests that somebody completed in the window, by topic.", "topic"),
    "rejections": ("Sends that were refused in the window.", "code"),
    "clarification_ratio": ("Share of requests that were answered by a question before completion.", ""),
    "thread_depth": ("Replies above a message.", "quantile"),
    "payload_bytes": ("Bytes of payloads.", "quantile"),
    "payloads": ("Payloads of at most so many bytes, in the window.", "le"),
    "receipts_per_message": ("Recipients of a message.", "quantile"),
    "messages_last_hour": ("Messages of the present hour, by topic.", "topic"),
    "credential_incidents": ("Calls that were refused for their key, in the window.", "reason"),
}
_Value = tuple[str, str, float]


class InboxFigures(Collector):
    """The figures of every inbox, as far as the time goes."""

    def collect(self) -> Iterable[Any]:
        families = {
            name: GaugeMetricFamily(
                f"workforce_inbox_{name}", words, labels=["organization", "inbox", *([label] * bool(label))]
            )
            for name, (words, label) in _GAUGES.items()
        }
        left_out = GaugeMetricFamily(
            "workforce_inboxes_left_out", "Inboxes that the answer had no time for.", value=0
        )
        try:
            left_out.samples[0] = left_out.samples[0]._replace(value=_collect(families))
        except DatabaseError:
            return []
        return [*families.values(), left_out]

    def describe(self) -> Iterable[Any]:
        return []


def _collect(families: dict[str, GaugeMetricFamily]) -> int:
    """Fill the families; how many inboxes are left out."""
    inboxes = list(Inbox.objects.select_related("organization").order_by("pk"))
    ends_at = time.monotonic() + SECONDS
    for number, inbox in enumerate(inboxes):
        if time.monotonic() > ends_at:
            return len(inboxes) - number
        for name, label, value in values_of(inbox):
            labels = [inbox.organization.slug, inbox.slug, *([label] * bool(_GAUGES[name][1]))]
            families[name].add_metric(labels, value)
    return 0


def values_of(inbox: Inbox) -> Iterator[_Value]:
    """Every figure of an inbox: its name, its label and its value, times in seconds."""
    now = clock.now()
    work, flow = open_work(inbox, now=now), flow_of(inbox, now=now, hours=HOURS, sample=SAMPLE)
    yield from _open(work, now.timestamp())
    yield from _sends(inbox)
    yield "window_seconds", "", (now - flow.since).total_seconds()
    yield from _times(flow)
    yield from _counts(flow, now.timestamp())


def _open(work: OpenWork, now: float) -> Iterator[_Value]:
    yield "receipts", "pending", work.pending
    yield "receipts", "delivered", work.delivered
    yield "open_requests", "", work.requests
    yield "open_requests_late", "", work.late
    if work.oldest is not None:
        yield "oldest_request_seconds", "", max(0.0, now - work.oldest.created_at.timestamp())
    yield "approvals_waiting", "", work.approvals


def _sends(inbox: Inbox) -> Iterator[_Value]:
    sends = sends_of(inbox)
    yield "sends_total", "stored", sends.messages
    for result, count in (("duplicate", sends.duplicates), ("retry", sends.retries)):
        yield "sends_total", result, count
        if (part := share(count, sends.all)) is not None:
            yield "folded_ratio", result, part


def _times(flow: Flow) -> Iterator[_Value]:
    spreads = (
        ("delivery_seconds", flow.delivery, 1000),
        ("completion_seconds", flow.completion, 1000),
        ("approval_wait_seconds", flow.approval, 1000),
        ("thread_depth", flow.depth, 1),
        ("payload_bytes", flow.sizes, 1),
        ("receipts_per_message", flow.recipients, 1),
    )
    for name, spread, unit in spreads:
        yield from _quantiles(name, spread, unit)


def _quantiles(name: str, spread: Spread, unit: int) -> Iterator[_Value]:
    for quantile, value in (("0.5", spread.p50), ("0.95", spread.p95), ("1", spread.largest)):
        if value is not None:
            yield name, quantile, value / unit


def _counts(flow: Flow, now: float) -> Iterator[_Value]:
    by_topic: dict[str, int] = {}
    this_hour: dict[str, int] = {}
    for hour, topic, count in flow.by_hour:
        by_topic[topic] = by_topic.get(topic, 0) + count
        if hour.timestamp() > now - 3600:
            this_hour[topic] = count
    for name, topics in (
        ("messages", by_topic),
        ("messages_last_hour", this_hour),
        ("requests_completed", dict(flow.completed_by_topic)),
    ):
        yield from ((name, topic, count) for topic, count in _fewer(topics).items())
    below = 0
    for edge, count in zip((*map(str, SIZES), "+Inf"), flow.size_counts, strict=True):
        below += count
        yield "payloads", edge, below
    yield from (("rejections", code, count) for code, count in flow.rejections)
    yield from (("credential_incidents", reason, count) for reason, count in flow.incidents)
    if (part := share(flow.clarified, flow.requests)) is not None:
        yield "clarification_ratio", "", part


def _fewer(topics: dict[str, int]) -> dict[str, int]:
    """The topics with the most; what the others have, together."""
    ordered = sorted(topics.items(), key=lambda entry: (-entry[1], entry[0]))
    kept = dict(ordered[:TOPICS])
    if rest := sum(count for _, count in ordered[TOPICS:]):
        kept[""] = rest
    return kept


REGISTRY.register(InboxFigures())
