"""Which of the registered kinds are mailbox kinds, and what binding asks about them. See docs/mailboxes.md."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from mailboxes.declarations import KindFacts
from workforce.kinds import registered_kinds


@runtime_checkable
class _MailboxKind(Protocol):
    """What a mailbox kind says of itself, and no other kind does."""

    built_in: bool
    routes: bool


def mailbox_kind_facts() -> dict[str, KindFacts]:
    """The mailbox kinds of this process by name."""
    return {
        name: KindFacts(name=name, built_in=kind.built_in, routes=kind.routes)
        for name, kind in registered_kinds().items()
        if isinstance(kind, _MailboxKind)
    }
