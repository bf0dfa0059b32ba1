"""What the app registers when the process starts."""

from __future__ import annotations

from django.apps import AppConfig


class MessagingConfig(AppConfig):
    name = "messaging"
