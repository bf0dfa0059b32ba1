"""Every route of the service, and what a key needs for it. A new route is a new line here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from workforce.api.views import ApiView, KnownCaller

OPEN = "everybody"
OWN = "the action's own"
READ, WRITE = "flows:read", "flows:write"
LOOK, WORK = "boards:read", "boards:write"
ROW = "api/boards/<board:board>/tasks/<task:task>"
PULL, SEND = "inbox:read", "inbox:write"
INBOX = "api/inboxes/<word:inbox>"
LETTER = f"{INBOX}/messages/<word:message>"
#: Setting up is for owners and operators with a browser session; no grant opens it.
OPERATORS = OWN

#: Route: what each method needs.
EXPECTED: dict[str, dict[str, str]] = {
    "": {"any": "redirects to the admin"},
    "healthz": {"any": OPEN},
    "readyz": {"any": OPEN},
    "metrics": {"any": "METRICS_TOKEN unless open"},
    "api/schema": {"GET": OPEN},
    "api/docs": {"GET": OPEN},
    "api/flows": {"GET": READ},
    "api/flows/<str:kind>/actions/<str:action>": {"POST": OWN},
    "api/flows/<str:kind>/<session:session>/actions/<str:action>": {"POST": OWN},
    "api/sessions": {"GET": READ, "POST": WRITE},
    "api/sessions/<session:session>": {"GET": READ, "PATCH": WRITE, "DELETE": WRITE},
    "api/sessions/<session:session>/items": {"GET": READ},
    "api/sessions/<session:session>/requests": {"GET": READ},
    "api/sessions/<session:session>/stream": {"GET": READ},
    "api/sessions/<session:session>/children": {"GET": READ},
    "api/requests/<uuid:uid>": {"GET": READ},
    "api/requests/<uuid:uid>/abort": {"POST": WRITE},
    "api/requests/<uuid:uid>/retry": {"POST": WRITE},
    "api/workers": {"GET": READ},
    "api/workers/hire": {"POST": WRITE},
    "api/workers/fork": {"POST": WRITE},
    "api/workers/<str:worker>/edit": {"POST": WRITE},
    "api/workers/<str:worker>/fire": {"POST": WRITE},
    "api/workers/<str:worker>/ensure-session": {"POST": WRITE},
    "api/messages": {"GET": READ},
    "api/inventory/seats": {"GET": READ},
    "api/inventory/mailboxes": {"GET": READ},
    "api/inventory/members": {"GET": READ},
    "api/boards": {"GET": LOOK},
    "api/boards/<board:board>": {"GET": LOOK},
    "api/boards/<board:board>/claim": {"POST": WORK},
    "api/boards/<board:board>/tasks": {"GET": LOOK, "POST": WORK},
    ROW: {"GET": LOOK},
    **{
        f"{ROW}/{verb}": {"POST": WORK}
        for verb in (
            "complete",
            "fail",
            "park",
            "answer",
            "renew",
            "release",
            "block",
            "unblock",
            "cancel",
            "assign",
            "update",
            "reclaim",
            "skip-dependents",
            "retry",
        )
    },
    "api/inboxes": {"GET": PULL, "POST": OPERATORS},
    INBOX: {"GET": PULL, "PATCH": OPERATORS},
    f"{INBOX}/access": {"GET": PULL},
    f"{INBOX}/pull": {"POST": PULL},
    f"{INBOX}/queue": {"GET": PULL},
    f"{INBOX}/sent": {"GET": PULL},
    f"{INBOX}/search": {"GET": PULL},
    f"{INBOX}/receipts": {"POST": PULL},
    f"{INBOX}/events": {"GET": PULL},
    f"{INBOX}/incidents": {"GET": PULL},
    f"{INBOX}/metrics": {"GET": PULL},
    f"{INBOX}/participants": {"GET": PULL, "POST": OPERATORS},
    f"{INBOX}/participants/<word:passname>": {"DELETE": OPERATORS},
    f"{INBOX}/hand-over": {"POST": OPERATORS},
    f"{INBOX}/schemas": {"GET": PULL, "PUT": OPERATORS},
    f"{INBOX}/schemas/<word:type>/<word:topic>": {"DELETE": OPERATORS},
    f"{INBOX}/messages": {"POST": SEND},
    LETTER: {"GET": PULL},
    f"{LETTER}/close": {"POST": SEND},
    **{f"{LETTER}/{view}": {"GET": PULL} for view in ("thread", "receipts", "events")},
    **{f"{LETTER}/{act}": {"POST": PULL} for act in ("acknowledge", "complete", "archive")},
    "api/actors": {"GET": OPERATORS, "POST": OPERATORS},
    **{
        f"api/actors/<word:passname>/{act}": {"POST": OPERATORS}
        for act in ("freeze", "unfreeze", "retire", "rotate")
    },
    "api/digests": {"GET": PULL, "PUT": SEND},
    "api/keys/<word:prefix>/revoke": {"POST": OPERATORS},
    "^api(/.*)?$": {"any": "no path"},
}
PLAIN = {"": "redirects to the admin", "metrics": "METRICS_TOKEN unless open", "^api(/.*)?$": "no path"}


def _routes(patterns: list[Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for entry in patterns:
        if isinstance(entry, URLResolver):
            yield from _routes(entry.url_patterns, before + str(entry.pattern))
        else:
            assert isinstance(entry, URLPattern)
            yield before + str(entry.pattern), entry.callback


def _needs(route: str, callback: Any) -> dict[str, str]:
    view = getattr(callback, "cls", None)
    if view is None:
        return {"any": PLAIN.get(route, OPEN)}
    methods = [name.upper() for name in view.http_method_names if name != "head" and hasattr(view, name)]
    if not issubclass(view, ApiView) or KnownCaller not in view.permission_classes:
        return dict.fromkeys(methods, OPEN)
    return {method: str(view.grants.get(method, OWN)) for method in methods}


def test_routes__need_what_the_table_says() -> None:
    routes = dict(_routes(get_resolver().url_patterns))
    found = {
        route: _needs(route, callback) for route, callback in routes.items() if not route.startswith("admin/")
    }
    assert found == EXPECTED


def test_routes__of_the_admin_ask_for_a_login(client: Any, db: None) -> None:
    assert client.get("/admin/").status_code == 302
