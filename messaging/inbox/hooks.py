"""What other parts do when something happens in an inbox; filled in ``AppConfig.ready()``.

A listener runs in the transaction of what it is told about: what it raises undoes that as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from messaging.inbox.hands import Hand
from messaging.inbox.models import Message, Receipt

OnSent = Callable[[Message, Hand], None]
OnMoved = Callable[[Sequence[Receipt], Hand], None]

_on_sent: list[OnSent] = []
_on_moved: list[OnMoved] = []


def register_on_sent(listener: OnSent) -> None:
    """Call ``listener`` for every message that is stored; a folded one is not."""
    _on_sent.append(listener)


def register_on_moved(listener: OnMoved) -> None:
    """Call ``listener`` with the receipts that a recipient closed, as they are now."""
    _on_moved.append(listener)


def tell_sent(message: Message, hand: Hand) -> None:
    """Tell every listener of a message that was stored."""
    for listener in _on_sent:
        listener(message, hand)


def tell_moved(receipts: Sequence[Receipt], hand: Hand) -> None:
    """Tell every listener of receipts that were closed."""
    for listener in _on_moved:
        listener(receipts, hand)
