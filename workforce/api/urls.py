"""The API's paths. A trailing slash is taken off before they are looked up (workforce_site/middleware.py)."""

from __future__ import annotations

from django.urls import path

from workforce.api import flows, paths, requests, roster, sessions, streams, workers

assert paths  # its import registers the converters

urlpatterns = [
    path("flows", flows.FlowsView.as_view(), name="flows"),
    path("flows/<str:kind>/actions/<str:action>", flows.FreeActionView.as_view(), name="free-action"),
    path(
        "flows/<str:kind>/<session:session>/actions/<str:action>", flows.ActionView.as_view(), name="action"
    ),
    path("sessions", sessions.SessionsView.as_view(), name="sessions"),
    path("sessions/<session:session>", sessions.SessionView.as_view(), name="session"),
    path("sessions/<session:session>/items", sessions.SessionItemsView.as_view(), name="session-items"),
    path(
        "sessions/<session:session>/requests", sessions.SessionRequestsView.as_view(), name="session-requests"
    ),
    path("sessions/<session:session>/stream", streams.SessionStreamView.as_view(), name="session-stream"),
    path(
        "sessions/<session:session>/children", sessions.SessionChildrenView.as_view(), name="session-children"
    ),
    path("requests/<uuid:uid>", requests.RequestView.as_view(), name="request"),
    path("requests/<uuid:uid>/abort", requests.AbortView.as_view(), name="request-abort"),
    path("requests/<uuid:uid>/retry", requests.RetryView.as_view(), name="request-retry"),
    path("workers", roster.WorkersView.as_view(), name="workers"),
    path("workers/hire", workers.HireView.as_view(), name="worker-hire"),
    path("workers/fork", workers.ForkView.as_view(), name="worker-fork"),
    path("workers/<str:worker>/edit", workers.EditView.as_view(), name="worker-edit"),
    path("workers/<str:worker>/fire", workers.FireView.as_view(), name="worker-fire"),
    path("workers/<str:worker>/ensure-session", workers.EnsureSessionView.as_view(), name="worker-session"),
    path("inventory/seats", roster.InventorySeatsView.as_view(), name="inventory-seats"),
    path("inventory/mailboxes", roster.InventoryMailboxesView.as_view(), name="inventory-mailboxes"),
    path("inventory/members", roster.InventoryMembersView.as_view(), name="inventory-members"),
]
