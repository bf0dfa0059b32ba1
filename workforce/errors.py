"""What the service refuses, as data: a code, a sentence, a status. See docs/errors.md."""

from __future__ import annotations

from typing import Any, ClassVar


class DomainError(Exception):
    """The call was refused.

    ``code`` is the interface and never changes; ``words`` may. ``status`` is what HTTP answers.
    Subclasses set ``code`` and ``status``; the words name what is wrong and the mend.
    One translator per surface (HTTP, a failed request, a command) reads these and nothing else.
    """

    code: ClassVar[str] = "refused"
    status: ClassVar[int] = 422

    def __init__(self, words: str | None = None, **data: Any) -> None:
        self.words = words or (type(self).__doc__ or self.code).strip().splitlines()[0]
        self.data = data
        super().__init__(self.words)


class InvalidInput(DomainError):
    """The input does not have the declared shape."""

    code = "invalid-input"
    status = 400

    def __init__(self, words: str | None = None, *, errors: list[dict[str, str]] | None = None) -> None:
        super().__init__(words, errors=errors or [])

    @classmethod
    def at(cls, path: str, message: str) -> InvalidInput:
        """One field is wrong: say which and how."""
        return cls(f"{path}: {message}", errors=[{"path": path, "message": message}])


class InvalidJson(DomainError):
    """The body is not JSON."""

    code = "invalid-json"
    status = 400


class InvalidCursor(DomainError):
    """The cursor is damaged or belongs to another list; start again without it."""

    code = "invalid-cursor"
    status = 400


class UnknownParameter(DomainError):
    """The query has a parameter this call does not take."""

    code = "unknown-parameter"
    status = 400


class Unauthenticated(DomainError):
    """Send a key: 'Authorization: Bearer wfk_…'."""

    code = "unauthenticated"
    status = 401


class KeyRevoked(DomainError):
    """This key was revoked; ask for a new one."""

    code = "key-revoked"
    status = 401


class KeyExpired(DomainError):
    """This key has expired; ask for a new one."""

    code = "key-expired"
    status = 401


class Frozen(DomainError):
    """This actor is frozen; an operator can unfreeze it."""

    code = "frozen"
    status = 403


class NotGranted(DomainError):
    """This key does not have the grant the call needs."""

    code = "not-granted"
    status = 403


class NotAllowed(DomainError):
    """The caller may not do this."""

    code = "not-allowed"
    status = 403


class UserMismatch(DomainError):
    """The userId given is not the caller's."""

    code = "user-mismatch"
    status = 403


class PassnameMismatch(DomainError):
    """The X-Passname header does not match the key's passname."""

    code = "passname-mismatch"
    status = 403


class NotFound(DomainError):
    """There is nothing here."""

    code = "not-found"
    status = 404


class NoSuchFlow(DomainError):
    """No kind is registered under this name."""

    code = "no-such-flow"
    status = 404


class NoSuchAction(DomainError):
    """The kind has no action of this name."""

    code = "no-such-action"
    status = 404


class SessionNotFound(DomainError):
    """There is no such session."""

    code = "session-not-found"
    status = 404


class MethodNotAllowed(DomainError):
    """The path does not answer this method."""

    code = "method-not-allowed"
    status = 405


class SessionTaken(DomainError):
    """A session with this id exists."""

    code = "session-taken"
    status = 409


class RequestTaken(DomainError):
    """A request with this id exists; choose another requestId or leave it out."""

    code = "request-taken"
    status = 409


class WrongKind(DomainError):
    """The session is of another kind."""

    code = "wrong-kind"
    status = 409


class NotNow(DomainError):
    """The state of the thing does not admit this call."""

    code = "not-now"
    status = 409


class IdempotencyKeyReused(DomainError):
    """This Idempotency-Key was used with another input; use a new key for a new call."""

    code = "idempotency-key-reused"
    status = 409


class Stale(DomainError):
    """What If-Match names has changed since; read it again."""

    code = "stale"
    status = 412


class TooSlow(DomainError):
    """The body took too long to arrive; send it anew."""

    code = "too-slow"
    status = 408


class TooLarge(DomainError):
    """The body is over the limit."""

    code = "too-large"
    status = 413


class NotJson(DomainError):
    """Send JSON: 'Content-Type: application/json'."""

    code = "not-json"
    status = 415


class Throttled(DomainError):
    """Too many writes; wait and try again."""

    code = "throttled"
    status = 429


class ExternalDispatcher(DomainError):
    """This process starts no work (DISPATCH=disabled); send it to one that does."""

    code = "external-dispatcher"
    status = 503


class Unavailable(DomainError):
    """The database is locked or away; nothing was written. Try again."""

    code = "unavailable"
    status = 503
