"""What the app registers when the process starts."""

from __future__ import annotations

from django.apps import AppConfig


class MailboxesConfig(AppConfig):
    name = "mailboxes"

    def ready(self) -> None:
        from boards.services.judging import register_filing_check
        from boards.services.telling import register_teller
        from mailboxes.evaluators import evaluate
        from mailboxes.registering import check_steps, register_mailbox_kinds
        from mailboxes.services.filing import check_filing
        from mailboxes.services.showing import show_changes
        from mailboxes.tools.offering import TOOLS, TOOLSET, offer
        from workforce.evaluating import register_judge
        from workforce.toolsets import register_tool_name, register_toolset

        register_mailbox_kinds()
        check_steps()
        register_judge(evaluate)
        register_filing_check(check_filing)
        register_teller(show_changes)
        register_toolset(TOOLSET, offer)
        for tool in TOOLS:
            register_tool_name(tool.name)
