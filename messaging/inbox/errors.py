"""What an inbox refuses. See docs/inbox.md."""

from __future__ import annotations

from messaging.inbox.receipts import Act, State
from workforce.actorerrors import UnknownPassname
from workforce.errors import DomainError, NotFound, TooLarge
from workforce.nearest import nearest
from workforce.refusals import quoted

#: The one answer to whatever is not there or not the caller's, so that nobody learns which.
NOTHING_HERE = "there is nothing here, or you take no part in the inbox"


def nothing_here() -> NotFound:
    """The refusal of what is not there, or in an inbox that the caller takes no part in."""
    return NotFound(NOTHING_HERE)


class InboxTaken(DomainError):
    """The organization has an inbox of this slug; choose another."""

    code = "inbox-taken"
    status = 409


class UnknownInbox(DomainError):
    """The organization has no inbox of this slug."""

    code = "unknown-inbox"
    status = 404


class AlreadyJoined(DomainError):
    """The actor takes part in the inbox already."""

    code = "already-joined"
    status = 409


class NotJoined(DomainError):
    """The actor takes no part in the inbox."""

    code = "not-joined"
    status = 409


def payload_too_large(size: int, limit: int) -> TooLarge:
    """The refusal of a payload over the limit, with both in bytes."""
    return TooLarge(
        f"the payload has {size} bytes as compact JSON; the limit is {limit}. Send less, or a link to it",
        size=size,
        limit=limit,
    )


class SecretInPayload(DomainError):
    """The payload holds what looks like a secret; take it out, or send allowSecret."""

    code = "secret-in-payload"
    status = 422

    @classmethod
    def of(cls, path: str, what: str) -> SecretInPayload:
        """Says where and what it looks like, never the text itself."""
        return cls(
            f"{path} looks like {what}; whoever reads the inbox would have it. Take it out, or send "
            "allowSecret: true when it is none",
            errors=[{"path": path, "message": f"looks like {what}"}],
        )


class SchemaMismatch(DomainError):
    """The payload does not fit the schema of its type and topic."""

    code = "schema-mismatch"
    status = 422


class BadSchema(DomainError):
    """This is no JSON Schema that payloads can be held to."""

    code = "bad-schema"
    status = 422


class NoSchema(DomainError):
    """The inbox has no schema for this type and topic."""

    code = "no-schema"
    status = 404


class RecipientRetired(DomainError):
    """A recipient is retired and reads nothing any more; leave it out."""

    code = "recipient-retired"
    status = 422


class NoRecipients(DomainError):
    """Nobody but the sender would receive this."""

    code = "no-recipients"
    status = 422


class StillTakesPart(DomainError):
    """Only what is owed by nobody is handed over; freeze, retire or let the actor leave first."""

    code = "still-takes-part"
    status = 409


class NotAcknowledgeable(DomainError):
    """A request is completed or archived, not acknowledged."""

    code = "not-acknowledgeable"
    status = 409


class NeedsAPerson(DomainError):
    """Only a person can complete a request for approval."""

    code = "needs-a-person"
    status = 403


class AlreadyClosed(DomainError):
    """The receipt is closed, which is final."""

    code = "already-closed"
    status = 409

    @classmethod
    def of(cls, state: State, act: Act) -> AlreadyClosed:
        return cls(
            f"the receipt is {state.value}, which is final: '{act.value}' does not work any more; send a new "
            "message when there is more to say",
            state=state.value,
        )


class NotYourMessage(DomainError):
    """Only its sender closes a message."""

    code = "not-your-message"
    status = 403


def unknown_recipient(name: str, known: list[str], *, has_left: bool = False) -> UnknownPassname:
    """The refusal of a name that is no participant, with the nearest one of this inbox."""
    near = nearest(name, known)
    hint = f"; did you mean {quoted(near)}?" if near else "."
    why = "has left this inbox" if has_left else "is no participant of this inbox"
    return UnknownPassname(f"{quoted(name)} {why}{hint} Nothing was sent")
