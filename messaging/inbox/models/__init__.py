"""The rows of the durable inbox; import them from here."""

from messaging.inbox.models.audit import CredentialIncident, InboxEvent
from messaging.inbox.models.inboxes import Inbox, Participation, PayloadSchema
from messaging.inbox.models.messages import Message, Receipt

__all__ = [
    "CredentialIncident",
    "Inbox",
    "InboxEvent",
    "Message",
    "Participation",
    "PayloadSchema",
    "Receipt",
]
