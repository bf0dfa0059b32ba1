"""What the app registers when the process starts."""

from __future__ import annotations

from django.apps import AppConfig


class MailboxesConfig(AppConfig):
    name = "mailboxes"

    def ready(self) -> None:
        from mailboxes.registering import register_mailbox_kinds

        register_mailbox_kinds()
