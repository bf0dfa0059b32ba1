"""How the admin looks: its name, its first page and its sidebar. See docs/admin.md."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse_lazy

_LOOK = "workforce.admin.access.may_look"
_SUPERUSER = "workforce.admin.access.is_superuser"


def _item(title: str, icon: str, model: str, permission: str = _LOOK) -> dict[str, Any]:
    link = reverse_lazy(f"admin:{model}_changelist")
    return {"title": title, "icon": icon, "link": link, "permission": permission}


def _style(request: HttpRequest) -> str:
    return static("workforce/admin.css")


def _script(request: HttpRequest) -> str:
    return static("workforce/admin.js")


def _live(request: HttpRequest) -> str:
    return static("workforce/live.js")


def _icon(request: HttpRequest) -> str:
    return static("workforce/icon.svg")


SIDEBAR: dict[str, Any] = {
    "show_search": False,
    "show_all_applications": False,
    "navigation": [
        {
            "title": "",
            "items": [
                {"title": "Overview", "icon": "monitoring", "link": reverse_lazy("admin:index")},
                _item("Mailboxes", "forum", "workforce_inventorymailbox"),
                _item("Boards", "view_kanban", "boards_board"),
                _item("Tasks", "task_alt", "boards_task"),
                _item("Requests", "bolt", "workforce_request"),
                _item("Sessions", "chat", "workforce_session"),
                _item("Messages", "sms", "messaging_workermessage"),
                _item("Inboxes", "inbox", "messaging_inbox"),
                _item("Inbox messages", "mail", "messaging_message"),
                _item("Digests", "notifications", "messaging_digestsubscription"),
            ],
        },
        {
            "title": "Workforce",
            "items": [
                _item("Roster", "badge", "workforce_seat"),
                _item("Documents", "description", "workforce_document"),
                _item("Declarations", "article", "mailboxes_declaration"),
                _item("Room templates", "meeting_room", "mailboxes_roomtemplate"),
                _item("Seats ever hired", "inventory_2", "workforce_inventoryseat"),
                _item("Places in mailboxes", "groups", "workforce_inventorymembership"),
            ],
        },
        {
            "title": "Access",
            "items": [
                _item("Actors", "smart_toy", "workforce_actor"),
                _item("Keys", "key", "workforce_key"),
                _item("Users", "person", "workforce_user", _SUPERUSER),
                _item("Organizations", "domain", "workforce_organization", _SUPERUSER),
            ],
        },
    ],
}

UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Workforce",
    "SITE_HEADER": "Workforce",
    "SITE_SUBHEADER": "mailboxes, boards, messages",
    "SITE_SYMBOL": "forum",
    # There is no other site to return to.
    "SITE_URL": None,
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": _icon}],
    "SHOW_HISTORY": False,
    "SHOW_VIEW_ON_SITE": False,
    "DASHBOARD_CALLBACK": "workforce.admin.dashboard.dashboard",
    "STYLES": [_style],
    "SCRIPTS": [_script, _live],
    "SIDEBAR": SIDEBAR,
}
