"""The questions asked all the time are answered from an index, on both databases."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.models import QuerySet

from workforce import clock
from workforce.dispatch.claim import due
from workforce.models import Request
from workforce.models.literals import Literal

pytestmark = pytest.mark.django_db


def questions() -> dict[str, QuerySet[Request]]:
    here = Request.objects.filter(session_id=1)
    return {
        "request_due": Request.objects.filter(Request.IS_UNFINISHED, due(clock.now())).order_by("id")[:50],
        "request_unfinished": here.filter(Request.IS_UNFINISHED, serial=True).order_by("id")[:1],
        "request_counted": here.filter(Request.IS_COUNTED).order_by("-id")[:50],
        "request_failed_here": here.filter(Request.IS_FAILED).order_by("-id")[:50],
        "request_failed": Request.objects.filter(Request.IS_FAILED, ended_at__gte=clock.now()),
        "request_reads": Request.objects.filter(reads=True, created_at__lt=clock.now()).order_by(
            "created_at"
        )[:9],
        "request_of_session": here.order_by("-id")[:50],
        "request_retries": Request.objects.filter(retry_of_uid="0" * 32),
    }


@pytest.mark.parametrize("index", list(questions()))
def test_question__is_served_by_its_index(index: str) -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:  # an empty table is always cheaper to read whole
            cursor.execute("SET LOCAL enable_seqscan = off")
    plan = questions()[index].explain()
    served = [index] if index != "request_due" else ["request_due", "request_unfinished"]
    if connection.vendor == "postgresql":  # which of two that serve is chosen depends on statistics
        assert "Index" in plan or "Bitmap" in plan, plan
    else:
        assert any(name in plan for name in served), plan


@pytest.mark.parametrize("value", ["it's", "a b", "", "A", "x;--", "é"])
def test_literal__takes_plain_words_only(value: str) -> None:
    with pytest.raises(ValueError, match="plain word"):
        Literal(value)
