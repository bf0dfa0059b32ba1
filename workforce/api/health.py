"""Whether the process lives, and whether it can work."""

from __future__ import annotations

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from workforce.selectors.migrations import is_migrated

_migrated = False


@csrf_exempt
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


@csrf_exempt
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Database reachable and migrated, broker reachable when one is configured: 200, else 503 and what is wrong."""
    checks = {"database": _database(), "broker": _broker()}
    ready = all(value == "ok" for value in checks.values())
    headers = {} if ready else {"Retry-After": "5"}
    return JsonResponse(
        {"status": "ok" if ready else "unavailable", "checks": checks},
        status=200 if ready else 503,
        headers=headers,
    )


def _database() -> str:
    global _migrated
    try:
        connection.ensure_connection()
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        if not _migrated:  # once migrated stays migrated, and the look-up costs
            _migrated = is_migrated()
    except DatabaseError:
        return "not reachable"
    return "ok" if _migrated else "not migrated: run 'manage.py migrate'"


def _broker() -> str:
    if settings.CELERY_BROKER_URL.startswith("memory"):
        return "ok"
    try:
        with current_app.connection() as broker:
            broker.ensure_connection(max_retries=1, timeout=2)
    except Exception:
        return "not reachable"
    return "ok"
