"""Telling upper apps what became of actors and keys. They register in ``AppConfig.ready()``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workforce.models import Actor


@dataclass(frozen=True, slots=True)
class ActorChange:
    """What became of an actor or of one of its keys.

    ``kind`` is ``key-issued``, ``key-revoked``, ``frozen`` or ``unfrozen``; ``operator`` the user who did it, when
    it is known.
    """

    kind: str
    actor: Actor
    key_prefix: str = ""
    operator: str = ""


@dataclass(frozen=True, slots=True)
class KeyRefusal:
    """A call that was refused for its key; nothing of the secret.

    ``prefix`` is empty for what has not the form of a key, the ids None for a prefix that nobody has.
    """

    reason: str
    path: str
    prefix: str = ""
    actor_id: int | None = None
    organization_id: int | None = None


_on_change: list[Callable[[ActorChange], None]] = []
_on_refusal: list[Callable[[KeyRefusal], None]] = []


def register_on_change(listener: Callable[[ActorChange], None]) -> None:
    """Call ``listener`` in the transaction of every change of an actor or a key."""
    _on_change.append(listener)


def register_on_refusal(listener: Callable[[KeyRefusal], None]) -> None:
    """Call ``listener`` for every call that is refused for its key. It must neither raise nor take long."""
    _on_refusal.append(listener)


def tell_change(kind: str, actor: Actor, *, key_prefix: str = "", operator: str = "") -> None:
    """Tell every listener. Call it in the transaction of the change."""
    for listener in _on_change:
        listener(ActorChange(kind=kind, actor=actor, key_prefix=key_prefix, operator=operator))


def tell_refusal(refusal: KeyRefusal) -> None:
    """Tell every listener. Call it outside of a transaction."""
    for listener in _on_refusal:
        listener(refusal)
