"""What a mailbox refuses. See docs/mailboxes.md."""

from __future__ import annotations

from workforce.errors import DomainError, NotNow


class MailboxNotBound(DomainError):
    """No mailbox was opened at this id."""

    code = "mailbox-not-bound"
    status = 409


class MailboxIsATemplate(DomainError):
    """This id is a room template, not a mailbox."""

    code = "mailbox-is-a-template"
    status = 409


class AuthorNotAMember(DomainError):
    """The author is not among the mailbox's members."""

    code = "author-not-a-member"
    status = 422

    @classmethod
    def of(cls, author: str, mailbox: str, members: list[str]) -> AuthorNotAMember:
        listed = ", ".join(members) if members else "it has none"
        return cls(
            f"'{author}' is not a member of the mailbox '{mailbox}'; its members: {listed}. "
            "Leave author out, or name one of them"
        )


class BoardNotDeclared(DomainError):
    """The mailbox holds no board of this name."""

    code = "board-not-declared"
    status = 422

    @classmethod
    def of(cls, board: str, mailbox: str, held: list[str]) -> BoardNotDeclared:
        listed = ", ".join(f"'{name}'" for name in held) if held else "it has none"
        return cls(f"the mailbox '{mailbox}' holds no board '{board[:100]}'; its boards: {listed}")


class AlreadyAnswered(DomainError):
    """A line answers this post already."""

    code = "already-answered"
    status = 409

    @classmethod
    def of(cls, post_id: str) -> AlreadyAnswered:
        return cls(f"the post '{post_id}' is answered already; a post takes one answer, the first that lands")


class SessionNotAddressable(DomainError):
    """This session is not a mailbox."""

    code = "session-not-addressable"
    status = 409


class MailboxStaysOpen(NotNow):
    """An open mailbox stays, with what it was opened with."""

    code = "mailbox-is-open"


class LoadRefused(DomainError):
    """The tree was not loaded; nothing was changed."""

    code = "load-refused"
    status = 422
