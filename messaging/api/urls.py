"""The paths of worker messages."""

from __future__ import annotations

from django.urls import path

from messaging.api.messages import MessagesView

urlpatterns = [path("messages", MessagesView.as_view(), name="messages")]
