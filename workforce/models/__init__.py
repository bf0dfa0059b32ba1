"""The rows of the base app, one concept a file; import them from here."""

from workforce.models.actors import Actor, Grant, Key
from workforce.models.documents import Document
from workforce.models.fields import JsonText
from workforce.models.idempotency import IdempotencyRecord
from workforce.models.inventory import InventoryMailbox, InventoryMembership, InventorySeat
from workforce.models.items import LINE, Item
from workforce.models.organizations import Membership, Organization
from workforce.models.requests import Request
from workforce.models.seats import Seat
from workforce.models.sessions import Session
from workforce.models.users import User

__all__ = [
    "LINE",
    "Actor",
    "Document",
    "Grant",
    "IdempotencyRecord",
    "InventoryMailbox",
    "InventoryMembership",
    "InventorySeat",
    "Item",
    "JsonText",
    "Key",
    "Membership",
    "Organization",
    "Request",
    "Seat",
    "Session",
    "User",
]
