"""Messages and their receipts."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from messaging.inbox.models.inboxes import Inbox
from messaging.inbox.receipts import State, Type
from workforce import clock
from workforce.ids import new_uuid
from workforce.models import Actor, JsonText
from workforce.models.literals import Literal

TYPES = [(type.value, type.value) for type in Type]
STATES = [(state.value, state.value) for state in State]
EXCERPT = 200


class Message(models.Model):
    """One message of an inbox. Its content never changes; retention takes it away and leaves the row.

    The three columns that can be large stand last: whoever leaves them out does not read their pages.
    """

    #: The condition of ``message_unsettled``, as queries must write it to be served by that index.
    IS_UNSETTLED = Q(closed_at__isnull=True, open_receipts__gt=Literal(0))
    #: The condition of ``message_open_request``, likewise.
    IS_OPEN_REQUEST = Q(type=Literal("request"), closed_at__isnull=True, open_receipts__gt=Literal(0))
    #: What previews leave out.
    HEAVY = ("payload", "words")

    id = models.UUIDField(primary_key=True, default=new_uuid, editable=False)
    inbox = models.ForeignKey(Inbox, on_delete=models.CASCADE, related_name="messages", db_index=False)
    seq = models.BigIntegerField()
    sender = models.ForeignKey(Actor, on_delete=models.RESTRICT, related_name="sent_messages", db_index=False)
    type = models.CharField(max_length=16, choices=TYPES)
    topic = models.CharField(max_length=64)
    #: Of a request: only a person can complete it.
    approval = models.BooleanField(default=False)
    replying_to = models.ForeignKey(
        "self", null=True, on_delete=models.RESTRICT, related_name="replies", db_index=False
    )
    #: The id of the thread's root; its own on the root.
    thread_id = models.UUIDField()
    depth = models.IntegerField(default=0)
    created_at = models.DateTimeField(default=clock.now)
    #: When the sender closed it; recipients keep their own state.
    closed_at = models.DateTimeField(null=True)
    #: How many of its receipts are open.
    open_receipts = models.IntegerField(default=0)
    recipient_count = models.IntegerField(default=0)
    payload_size = models.IntegerField()
    #: Of all that makes two sends equal; empty on one that is never the original of another.
    digest = models.CharField(max_length=32, blank=True)
    #: When retention took the content: what is left is a tombstone.
    removed_at = models.DateTimeField(null=True)
    excerpt = models.CharField(max_length=EXCERPT, blank=True)
    payload = JsonText(null=True)
    #: The payload's texts, case-folded and without NUL: what search looks through.
    words = models.TextField(blank=True)

    class Meta:
        constraints = [
            # search without other filters, newest first; the number without gaps
            models.UniqueConstraint(fields=["inbox", "seq"], name="one_message_per_seq"),
        ]
        indexes = [
            # search by topic and by sender; what an actor sent
            models.Index(fields=["inbox", "topic", "seq"], name="message_by_topic"),
            models.Index(fields=["inbox", "sender", "seq"], name="message_by_sender"),
            # what an actor sent and still waits for
            models.Index(
                fields=["inbox", "sender", "seq"],
                condition=Q(closed_at__isnull=True, open_receipts__gt=0),
                name="message_unsettled",
            ),
            # what requests are open in an inbox, the oldest first (metrics, admin)
            models.Index(
                fields=["inbox", "created_at"],
                condition=Q(type="request", closed_at__isnull=True, open_receipts__gt=0),
                name="message_open_request",
            ),
            # search by time; messages per hour (metrics); what is old enough to be taken away (retention)
            models.Index(fields=["inbox", "created_at"], name="message_by_time"),
            # a thread in order
            models.Index(fields=["thread_id", "seq"], name="message_of_thread"),
            # replies to a message, and the newest of them
            models.Index(
                fields=["replying_to", "seq"],
                condition=Q(replying_to__isnull=False),
                name="message_replies",
            ),
            # the original of an equal send
            models.Index(fields=["inbox", "digest"], condition=~Q(digest=""), name="message_by_digest"),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.seq}"


class Receipt(models.Model):
    """What one recipient did with one message. Only that recipient moves it.

    What a pull filters by stands here too, so that it is answered from one index whatever the size of the inbox.
    ``closed_at`` is when it was acknowledged, completed or archived, which ``state`` tells: a closed receipt is
    final.
    """

    #: The condition of the partial indexes of what is open.
    IS_OPEN = Q(closed_at__isnull=True)

    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="receipts", db_index=False)
    inbox = models.ForeignKey(Inbox, on_delete=models.CASCADE, related_name="receipts", db_index=False)
    recipient = models.ForeignKey(Actor, on_delete=models.RESTRICT, related_name="receipts", db_index=False)
    sender = models.ForeignKey(Actor, on_delete=models.RESTRICT, related_name="+", db_index=False)
    seq = models.BigIntegerField()
    type = models.CharField(max_length=16, choices=TYPES)
    topic = models.CharField(max_length=64)
    state = models.CharField(max_length=16, choices=STATES, default=State.PENDING)
    #: The message's.
    created_at = models.DateTimeField(default=clock.now)
    delivered_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    note = models.TextField(blank=True)
    #: The message that says how it was dealt with.
    reply = models.ForeignKey(Message, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False)
    #: Who owed it before an operator handed it over.
    handed_from = models.ForeignKey(
        Actor, null=True, on_delete=models.RESTRICT, related_name="+", db_index=False
    )

    class Meta:
        constraints = [
            # one receipt per message and recipient; the receipts of a message
            models.UniqueConstraint(fields=["message", "recipient"], name="one_receipt_per_recipient"),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True, state__in=["pending", "delivered"])
                | Q(
                    closed_at__isnull=False,
                    delivered_at__isnull=False,
                    state__in=["acknowledged", "completed", "archived"],
                ),
                name="receipt_closed_with_its_state",
            ),
            models.CheckConstraint(
                condition=Q(delivered_at__isnull=True, state="pending")
                | (Q(delivered_at__isnull=False) & ~Q(state="pending")),
                name="receipt_delivered_with_its_state",
            ),
        ]
        indexes = [
            # pull and queue: an actor's open receipts in order; its filters are answered from the same index
            models.Index(
                fields=["recipient", "inbox", "seq", "type", "topic", "sender"],
                condition=Q(closed_at__isnull=True),
                name="receipt_open",
            ),
            # what is open in an inbox, oldest first, also of one type (metrics, admin)
            models.Index(
                fields=["inbox", "seq", "type"], condition=Q(closed_at__isnull=True), name="receipt_owed"
            ),
            # search by the caller's own state
            models.Index(fields=["recipient", "inbox", "state", "seq"], name="receipt_by_state"),
        ]

    def __str__(self) -> str:
        return f"{self.state} {self.seq}"
