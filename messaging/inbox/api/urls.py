"""The paths below ``api/inboxes``."""

from __future__ import annotations

from django.urls import path

from messaging.inbox.api import (
    audit,
    handing,
    messages,
    metrics,
    paths,
    pulling,
    receipts,
    searching,
    sent,
    setup,
    threads,
)
from messaging.inbox.receipts import Act

assert paths  # its import registers the converter

HERE = "/<word:inbox>"
MESSAGE = f"{HERE}/messages/<word:message>"

urlpatterns = [
    path("", setup.InboxesView.as_view(), name="inboxes"),
    path(HERE, setup.OneInboxView.as_view(), name="inbox"),
    path(f"{HERE}/access", pulling.AccessView.as_view(), name="inbox-access"),
    path(f"{HERE}/pull", pulling.PullView.as_view(), name="inbox-pull"),
    path(f"{HERE}/queue", pulling.LookView.as_view(), name="inbox-queue"),
    path(f"{HERE}/sent", sent.SentView.as_view(), name="inbox-sent"),
    path(f"{HERE}/search", searching.SearchView.as_view(), name="inbox-search"),
    path(f"{HERE}/receipts", receipts.BulkView.as_view(), name="inbox-receipts"),
    path(f"{HERE}/events", audit.EventsView.as_view(), name="inbox-events"),
    path(f"{HERE}/incidents", audit.IncidentsView.as_view(), name="inbox-incidents"),
    path(f"{HERE}/metrics", metrics.MetricsView.as_view(), name="inbox-metrics"),
    path(f"{HERE}/participants", setup.ParticipantsView.as_view(), name="inbox-participants"),
    path(f"{HERE}/participants/<word:passname>", setup.ParticipantView.as_view(), name="inbox-participant"),
    path(f"{HERE}/hand-over", handing.HandOverView.as_view(), name="inbox-hand-over"),
    path(f"{HERE}/schemas", setup.SchemasView.as_view(), name="inbox-schemas"),
    path(f"{HERE}/schemas/<word:type>/<word:topic>", setup.SchemaView.as_view(), name="inbox-schema"),
    path(f"{HERE}/messages", messages.SendView.as_view(), name="inbox-messages"),
    path(MESSAGE, messages.MessageView.as_view(), name="inbox-message"),
    path(f"{MESSAGE}/thread", threads.ThreadView.as_view(), name="inbox-thread"),
    path(f"{MESSAGE}/receipts", receipts.ReceiptsView.as_view(), name="inbox-message-receipts"),
    path(f"{MESSAGE}/events", audit.MessageEventsView.as_view(), name="inbox-message-events"),
    path(f"{MESSAGE}/close", messages.CloseView.as_view(), name="inbox-message-close"),
    *(
        path(
            f"{MESSAGE}/{act.value}",
            receipts.MoveView.as_view(act=act, describes=receipts.described(act)),
            name=f"inbox-message-{act.value}",
        )
        for act in Act
    ),
]
