"""The rows of the messaging app."""

from messaging.delegation.models import DelegateList, FiledTask, HandOff, Round
from messaging.inbox.models import (
    CredentialIncident,
    Inbox,
    InboxEvent,
    Message,
    Participation,
    PayloadSchema,
    Receipt,
)
from messaging.models.messages import Chain, WorkerMessage

__all__ = [
    "Chain",
    "CredentialIncident",
    "DelegateList",
    "FiledTask",
    "HandOff",
    "Inbox",
    "InboxEvent",
    "Message",
    "Participation",
    "PayloadSchema",
    "Receipt",
    "Round",
    "WorkerMessage",
]
