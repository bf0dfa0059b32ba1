"""The rows of the mailboxes app; import them from here."""

from mailboxes.models.declarations import Declaration, RoomTemplate

__all__ = ["Declaration", "RoomTemplate"]
