"""What the app registers when the process starts."""

from __future__ import annotations

from django.apps import AppConfig


class MailboxesConfig(AppConfig):
    name = "mailboxes"

    def ready(self) -> None:
        from mailboxes.registering import register_mailbox_kinds
        from workforce.toolsets import register_tool_name

        register_mailbox_kinds()
        for name in ("post-to-mailbox", "file-task"):
            register_tool_name(name)
