"""What a deployment names: mailbox kinds of its own, the fallback step of waking, the evaluator of routes."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from mailboxes.evaluators import get_evaluator
from mailboxes.kind import BaseMailboxKind, MailboxKind
from mailboxes.services.standing_in import get_wake_fallback
from workforce.kinds import register_kind


def register_mailbox_kinds() -> None:
    """Register the kinds of ``MAILBOX_KINDS`` and, unless it is replaced there, the built-in one.

    Raises ImproperlyConfigured for the name ``channel``, for a key that is not the kind's own name, and for
    a kind named ``mailbox`` that does not subclass the built-in.
    """
    own = {name: _load(name, path) for name, path in settings.MAILBOX_KINDS.items()}
    if "mailbox" not in own:
        register_kind(MailboxKind())
    for kind in own.values():
        register_kind(kind)


def check_steps() -> None:
    """Raise ImproperlyConfigured when MAILBOX_WAKE_FALLBACK or ROUTE_EVALUATOR names nothing that can be called."""
    get_wake_fallback()
    get_evaluator()


def _load(name: str, path: str) -> BaseMailboxKind:
    if name == "channel":
        raise ImproperlyConfigured(
            "MAILBOX_KINDS: 'channel' is the old name of mailboxes and no kind; choose another"
        )
    try:
        cls = import_string(path)
    except ImportError as error:
        raise ImproperlyConfigured(
            f"MAILBOX_KINDS: {name!r}: {path!r} cannot be imported: {error}"
        ) from error
    if not (isinstance(cls, type) and issubclass(cls, BaseMailboxKind)):
        raise ImproperlyConfigured(
            f"MAILBOX_KINDS: {name!r}: {path!r} does not subclass mailboxes.kind.BaseMailboxKind"
        )
    own = getattr(cls, "name", None)
    if own != name:
        raise ImproperlyConfigured(f"MAILBOX_KINDS: the key {name!r} is not the kind's own name {own!r}")
    if name == "mailbox" and not issubclass(cls, MailboxKind):
        raise ImproperlyConfigured(
            "MAILBOX_KINDS: a kind named 'mailbox' must subclass mailboxes.kind.MailboxKind"
        )
    return cls()
