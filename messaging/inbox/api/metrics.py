"""The figures of an inbox over REST. See docs/inbox.md, "Metrics"."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from rest_framework.request import Request as HttpCall
from rest_framework.response import Response

from messaging.inbox.api import prometheus
from messaging.inbox.api.metricschemas import MetricsAnswer
from messaging.inbox.api.views import SetupView
from messaging.inbox.models import Inbox
from messaging.inbox.selectors.flow import SIZES, Flow, flow_of, sends_of
from messaging.inbox.selectors.owing import OpenWork, Owing, open_work
from messaging.inbox.services.incidents import write_counted
from messaging.inbox.statistics import Spread, share
from workforce import clock
from workforce.api.schemas.operations import Answer, Operation
from workforce.models import Grant

assert prometheus  # its import registers the collector

DAY, MONTH = 24, 30 * 24
#: So many of those who owe something are listed, the oldest request first.
LISTED = 500


class MetricsView(SetupView):
    """What is open in the inbox and how old, and what went through it lately."""

    grants = {"GET": Grant.INBOX_READ}
    query = {"GET": frozenset({"hours"})}
    describes = {
        "GET": Operation(
            id="getInboxMetrics",
            summary="What is open in the inbox and how old, and what went through it in the last hours.",
            answers={200: Answer("The figures.", MetricsAnswer)},
        )
    }

    def get(self, request: HttpCall, inbox: str) -> Response:
        found = self.readable(inbox)
        hours = self.whole("hours", minimum=1, maximum=MONTH) or DAY
        write_counted()
        now = clock.now()
        work, flow = open_work(found, now=now), flow_of(found, now=now, hours=hours)
        return Response(metrics_shape(found, work, flow, now=now, hours=hours))


def metrics_shape(inbox: Inbox, work: OpenWork, flow: Flow, *, now: datetime, hours: int) -> dict[str, Any]:
    """Every figure, in the order of the document."""
    return {
        "inbox": inbox.slug,
        "at": clock.to_ms(now),
        **_open(work, now),
        "sends": sends_shape(inbox),
        "window": {
            "hours": hours,
            "since": clock.to_ms(flow.since),
            "messages": flow.messages,
            **({"capped": True} if flow.is_capped else {}),
        },
        "creationToDelivery": spread_shape(flow.delivery),
        "deliveryToCompletion": spread_shape(flow.completion),
        "approvalWait": spread_shape(flow.approval)
        | {"waiting": work.approvals}
        | _there({"oldestWaitingAge": _age(work.oldest_approval_at, now)}),
        "completedRequests": {
            "count": flow.completed,
            "byTopic": [{"topic": topic, "count": count} for topic, count in flow.completed_by_topic],
        },
        "rejections": _codes(flow.rejections),
        "clarification": {"requests": flow.requests, "clarified": flow.clarified}
        | _there({"rate": share(flow.clarified, flow.requests)}),
        "threadDepth": spread_shape(flow.depth),
        "payloadSize": spread_shape(flow.sizes) | {"distribution": _sizes(flow)},
        "receiptsPerMessage": spread_shape(flow.recipients) | _mean(flow.recipients),
        "messagesPerHour": [
            {"hour": clock.to_ms(hour), "topic": topic, "count": count} for hour, topic, count in flow.by_hour
        ],
        "incidents": _codes(flow.incidents),
    }


def sends_shape(inbox: Inbox) -> dict[str, Any]:
    """How many sends there were since the inbox was made, and how many of them were folded."""
    sends = sends_of(inbox)
    rates = {
        "duplicateRate": share(sends.duplicates, sends.all),
        "retryRate": share(sends.retries, sends.all),
    }
    return {**sends._asdict(), **_there(rates)}


def spread_shape(spread: Spread) -> dict[str, Any]:
    """How many, and where they lie; the percentiles of nothing are absent."""
    return {"count": spread.count} | _there({"p50": spread.p50, "p95": spread.p95, "largest": spread.largest})


def _open(work: OpenWork, now: datetime) -> dict[str, Any]:
    oldest = work.oldest and {
        "id": str(work.oldest.pk),
        "seq": work.oldest.seq,
        "topic": work.oldest.topic,
        "sender": work.oldest.sender.passname,
        "createdAt": clock.to_ms(work.oldest.created_at),
        "age": _age(work.oldest.created_at, now),
    }
    return {
        "receipts": {
            "open": work.pending + work.delivered,
            "pending": work.pending,
            "delivered": work.delivered,
        },
        "openRequests": {
            "count": work.requests,
            **({"capped": True} if work.is_capped else {}),
            **_there({"oldest": oldest}),
            "serviceTarget": settings.INBOX_SERVICE_TARGET * 1000,
            "pastServiceTarget": work.late,
        },
        "byPassname": [_owing(owed, now) for owed in work.owing[:LISTED]],
        **({"leftOut": len(work.owing) - LISTED} if len(work.owing) > LISTED else {}),
    }


def _owing(owed: Owing, now: datetime) -> dict[str, Any]:
    at = owed.oldest_request_at
    return {
        "passname": owed.passname,
        "state": owed.state,
        "pending": owed.pending,
        "delivered": owed.delivered,
        **_there(
            {"oldestRequestAt": None if at is None else clock.to_ms(at), "oldestRequestAge": _age(at, now)}
        ),
    }


def _age(moment: datetime | None, now: datetime) -> int | None:
    return None if moment is None else max(0, clock.to_ms(now) - clock.to_ms(moment))


def _there(shape: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in shape.items() if value is not None}


def _codes(counted: list[tuple[str, int]]) -> dict[str, Any]:
    return {
        "count": sum(count for _, count in counted),
        "byCode": [{"code": code, "count": count} for code, count in counted],
    }


def _sizes(flow: Flow) -> list[dict[str, Any]]:
    edges: list[int | None] = [*SIZES, None]
    return [
        {"upTo": edge, "count": count} for edge, count in zip(edges, flow.size_counts, strict=True) if count
    ]


def _mean(spread: Spread) -> dict[str, float]:
    return {"mean": round(spread.total / spread.count, 2)} if spread.count else {}
