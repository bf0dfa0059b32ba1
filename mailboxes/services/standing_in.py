"""The fallback step of waking: what a deployment does for members without a seat. See docs/routing.md, "Waking"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import structlog
from django.conf import settings

from mailboxes.dotted import load_callable
from mailboxes.selectors.seats import hearing_seats
from mailboxes.state import members_of
from workforce.errors import DomainError
from workforce.kinds import Work
from workforce.kinds.posts import PostDelivery

SETTING = "MAILBOX_WAKE_FALLBACK"
_REASON = 300
log = structlog.get_logger(__name__)


def get_wake_fallback() -> Callable[[PostDelivery], Any] | None:
    """The step of the setting ``MAILBOX_WAKE_FALLBACK``, if there is one. Raises ImproperlyConfigured."""
    path = settings.MAILBOX_WAKE_FALLBACK
    return load_callable(SETTING, path) if path else None


def stand_in(work: Work, line: Mapping[str, Any]) -> dict[str, str | None]:
    """Call the step with the delivery of each member that has no seat to hear it, one after the other.

    Returns those members, each with the reason when its call failed; the others are called all the same. What
    the step does may be slow, so this is never inside a transaction. Raises RunLost and RunAborted.
    """
    step = get_wake_fallback()
    if step is None:
        return {}
    members = members_of(work.session)
    seats = hearing_seats(work.session, members)
    tried: dict[str, str | None] = {}
    for member in members:
        if member not in seats:
            work.check()
            delivery = {**line, "mailboxId": work.session.address, "member": member}
            tried[member] = _try(step, PostDelivery.model_validate(delivery))
    return tried


def _try(step: Callable[[PostDelivery], Any], delivery: PostDelivery) -> str | None:
    try:
        step(delivery)
    except DomainError as refusal:
        return f"{refusal.code}: {refusal.words}"[:_REASON]
    except Exception as error:  # the deployment's own code: it must not stop the other members
        reason = f"{type(error).__name__}: {error}"[:_REASON]
        log.warning("wake_fallback_failed", mailbox=delivery.mailbox_id, reason=reason)
        return reason
    return None
