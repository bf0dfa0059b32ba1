"""What the last load declared, where posts went, and which line answered each."""

from mailboxes.models.declarations import Declaration, RoomTemplate
from mailboxes.models.routes import Answer, Placement

__all__ = ["Answer", "Declaration", "Placement", "RoomTemplate"]
