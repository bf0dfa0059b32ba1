"""Prometheus text. It carries no passname, user, id or text of anybody."""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Count, Min
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from workforce import clock
from workforce.api.problems import body_of, problem_answer
from workforce.errors import Unauthenticated
from workforce.models import Request

CALLS = Histogram(
    "workforce_http_call_seconds",
    "Time to answer a call, by route, method and status.",
    ["route", "method", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)


class UnfinishedRequests(Collector):
    """How many requests are pending or in progress, and how old the oldest is."""

    def collect(self) -> Iterable[Any]:
        count = GaugeMetricFamily("workforce_requests_unfinished", "Requests not ended.", labels=["status"])
        age = GaugeMetricFamily("workforce_requests_oldest_seconds", "Age of the oldest.", labels=["status"])
        try:
            rows = Request.objects.filter(Request.IS_UNFINISHED).values("status")
            for row in rows.annotate(number=Count("pk"), oldest=Min("created_at")).order_by("status"):
                count.add_metric([row["status"]], row["number"])
                age.add_metric([row["status"]], max(0.0, (clock.now() - row["oldest"]).total_seconds()))
        except DatabaseError:
            return []
        return [count, age]

    def describe(self) -> Iterable[Any]:
        return []


REGISTRY.register(UnfinishedRequests())


@csrf_exempt
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """The metrics of this process; a token is needed unless the service is open."""
    if settings.WORKFORCE_AUTH != "open" and not _has_token(request):
        words = "send the metrics token: 'Authorization: Bearer <METRICS_TOKEN>'"
        if not settings.METRICS_TOKEN:
            words = "this server has no METRICS_TOKEN, so nobody reads its metrics; set one and start it anew"
        return problem_answer(body_of(Unauthenticated(words)))
    return HttpResponse(generate_latest(REGISTRY), content_type=CONTENT_TYPE_LATEST)


def _has_token(request: HttpRequest) -> bool:
    given = request.headers.get("Authorization", "").removeprefix("Bearer ").strip()
    return bool(settings.METRICS_TOKEN) and hmac.compare_digest(
        given.encode(), settings.METRICS_TOKEN.encode()
    )
