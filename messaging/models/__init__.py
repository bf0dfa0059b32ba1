"""The rows of the messaging app."""

from messaging.delegation.models import DelegateList, FiledTask, HandOff, Round
from messaging.digests.models import DigestSubscription
from messaging.external.models import OutsideItem, OutsideReply
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
    "DigestSubscription",
    "FiledTask",
    "HandOff",
    "Inbox",
    "InboxEvent",
    "Message",
    "OutsideItem",
    "OutsideReply",
    "Participation",
    "PayloadSchema",
    "Receipt",
    "Round",
    "WorkerMessage",
]
