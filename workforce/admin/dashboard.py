"""The first page: what is stuck, who owes what. A constant number of queries. See docs/admin.md."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db.models import Count, Min, Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse

from workforce import clock
from workforce.admin.access import may_look, within
from workforce.admin.bounded import failed_since, last_lines, unfinished
from workforce.admin.conversations import mailbox_pages, run_rows
from workforce.admin.keys import expiring_soon
from workforce.admin.shown import STATUS_LABELS, ago, page_of, shortened
from workforce.models import Actor, InventoryMailbox, Key, Request, Seat, Session

DAY = timedelta(hours=24)
#: How many rows each table of the page has.
ROWS = 6
#: How old the oldest waiting request may be before its card says so in red.
SLOW = timedelta(minutes=5)


def dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Unfold's callback: the index page's context with the state of the caller's organizations."""
    if not may_look(request):
        return context | {"dashboard": None}
    mailboxes = within(request, InventoryMailbox.objects.all(), "organization").count()
    roster = within(request, Seat.objects.filter(retired_at=None), "organization").count()
    work, oldest = _unfinished(request)
    failed, failures = _failures(request)
    frozen, expiring = _access(request)
    return context | {
        "dashboard": {
            "empty": not mailboxes and not roster,
            "cards": [*_places(mailboxes, roster), *work, failed, *_access_cards(frozen, len(expiring))],
            "waiting": oldest,
            "failures": failures,
            "lines": _lines(request),
            "expiring": expiring[:ROWS],
        }
    }


def _card(name: str, number: int, url: str, note: str = "", tone: str = "") -> dict[str, Any]:
    return {"name": name, "number": number, "url": url, "note": note, "tone": tone}


def _list(model: str, query: str = "") -> str:
    return reverse(f"admin:workforce_{model}_changelist") + query


def _places(mailboxes: int, roster: int) -> list[dict[str, Any]]:
    return [
        _card("open mailboxes", mailboxes, _list("inventorymailbox")),
        _card("seats on the roster", roster, _list("seat", "?standing=here")),
    ]


def _unfinished(request: HttpRequest) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The cards of what waits and what runs, and the oldest of both."""
    rows = within(request, unfinished(Request.objects.all()), "session__organization")
    pending, running = Q(status=Request.Status.PENDING), Q(status=Request.Status.IN_PROGRESS)
    found = rows.aggregate(
        pending=Count("pk", filter=pending),
        running=Count("pk", filter=running),
        oldest_pending=Min("created_at", filter=pending),
        oldest_running=Min("created_at", filter=running),
    )
    cards = []
    for name, status in (("pending", "pending"), ("running", "in_progress")):
        oldest = found[f"oldest_{name}"]
        slow = oldest is not None and clock.now() - oldest > SLOW
        note = f"oldest {ago(oldest)}" if oldest else "nothing waits" if name == "pending" else "nothing runs"
        label = "requests waiting" if name == "pending" else "requests running"
        cards.append(
            _card(label, found[name], _list("request", f"?status={status}"), note, "bad" if slow else "")
        )
    return cards, _waiting(rows)


def _waiting(rows: QuerySet[Request]) -> list[dict[str, Any]]:
    """What is not done yet, together by place and action: a stuck mailbox is one row, not a hundred."""
    names = ("session_id", "session__address", "session__title", "session__parent_id", "action", "status")
    groups = rows.order_by().values(*names).annotate(count=Count("pk"), oldest=Min("created_at"))
    return [
        {
            "action": group["action"],
            "status": Request.Status(group["status"]).label,
            "label": STATUS_LABELS[group["status"]],
            "place": (group["session__parent_id"] and group["session__title"]) or group["session__address"],
            "count": group["count"],
            "age": ago(group["oldest"]),
            "url": _list("request", f"?session__id__exact={group['session_id']}&status={group['status']}"),
        }
        for group in groups.order_by("oldest")[:ROWS]
    ]


def _failures(request: HttpRequest) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    rows = within(
        request,
        failed_since(clock.now() - DAY),
        "session__organization",
    )
    count = rows.count()
    url = _list("request", "?status=failed&ended=24")
    card = _card("failed in 24 h", count, url, "refusals too", "bad" if count else "")
    return card, run_rows(rows.order_by("-pk"), count=ROWS)


def _lines(request: HttpRequest) -> list[dict[str, Any]]:
    """The last line of each of the mailboxes that were written to last."""
    written = within(request, Session.objects.filter(line_seq__gt=0), "organization")
    newest = last_lines(written.order_by("-updated_at")[:ROWS])
    pages = mailbox_pages(line.session for line in newest)
    return [
        {
            "line": line,
            "who": line.author or line.principal,
            "url": pages.get(line.session_id) or page_of(line.session),
            "age": ago(line.at),
            "body": shortened(line.body, 160),
        }
        for line in newest
    ]


def _access(request: HttpRequest) -> tuple[int, list[dict[str, Any]]]:
    actors = within(request, Actor.objects.filter(retired_at=None), "organization")
    frozen = actors.filter(frozen_at__isnull=False).count()
    keys = within(request, Key.objects.filter(expiring_soon()), "actor__organization")
    rows = keys.select_related("actor").defer("digest").order_by("expires_at")[:100]
    return frozen, [{"key": key, "url": page_of(key), "when": ago(key.expires_at)} for key in rows]


def _access_cards(frozen: int, expiring: int) -> list[dict[str, Any]]:
    return [
        _card("frozen actors", frozen, _list("actor", "?state=frozen"), "", "warn" if frozen else ""),
        _card(
            "keys expiring",
            expiring,
            _list("key", "?state=soon"),
            "within 14 days",
            "warn" if expiring else "",
        ),
    ]
