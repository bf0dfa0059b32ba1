"""The operators' admin of messages. See docs/admin.md."""

from messaging.admin import digests, inboxes, letters, messages

__all__ = ["digests", "inboxes", "letters", "messages"]
