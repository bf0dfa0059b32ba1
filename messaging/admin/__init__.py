"""The operators' admin of messages. See docs/admin.md."""

from messaging.admin import inboxes, letters, messages

__all__ = ["inboxes", "letters", "messages"]
