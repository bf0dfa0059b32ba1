"""The operators' admin of mailboxes. See docs/admin.md."""

from mailboxes.admin import declarations, mailboxes

__all__ = ["declarations", "mailboxes"]
