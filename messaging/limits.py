"""How far worker messages go. See docs/worker-messages.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from workforce.texts import is_blank

#: Characters (code points) of one message.
LONGEST = 8_000


@dataclass(frozen=True, slots=True)
class Limits:
    """The setting ``WORKER_MESSAGES``; what it leaves out is as here."""

    #: Messages of one chain: of everything that descends from one line of a user.
    hop_limit: int = 6
    #: Messages that one turn sends.
    per_turn: int = 3

    def hops_left(self, hop: int) -> int:
        """How many messages the chain may still have after its ``hop``-th."""
        return max(0, self.hop_limit - hop)


def read_limits(values: object) -> Limits:
    """The limits that a setting says. Raises ImproperlyConfigured, naming what is wrong."""
    if not isinstance(values, Mapping):
        raise ImproperlyConfigured("WORKER_MESSAGES: must be a mapping, as {'hop_limit': 6, 'per_turn': 3}")
    known = [field.name for field in fields(Limits)]
    for name, value in values.items():
        if name not in known:
            raise ImproperlyConfigured(f"WORKER_MESSAGES: there is no {name!r}; known: {', '.join(known)}")
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ImproperlyConfigured(
                f"WORKER_MESSAGES[{name!r}]: {value!r} is not a whole number of at least 1"
            )
    return Limits(**values)


def message_limits() -> Limits:
    """The limits of this process."""
    return read_limits(settings.WORKER_MESSAGES)


def answer_of(text: str) -> str:
    """A turn's final text as a message can carry it; empty when there is nothing to send."""
    said = text.strip()[:LONGEST]
    return "" if is_blank(said) else said
