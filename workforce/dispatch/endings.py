"""Telling an app how a run ended that it handed to another one. Filled in ``AppConfig.ready()``."""

from __future__ import annotations

from collections.abc import Callable

from workforce.models import Request

OnEnded = Callable[[Request], None]
_LISTENERS: dict[str, OnEnded] = {}


def register_on_ended(prefix: str, listener: OnEnded) -> None:
    """Call ``listener`` with every request that ends and whose dispatch key begins with ``<prefix>:``.

    It runs in the transaction of the ending, so it must not raise. It is not told of runs that ended without one:
    a defect, workers that died, an abort before the start. What depends on those needs a sweep.
    """
    _LISTENERS[prefix] = listener


def tell_ended(request: Request) -> None:
    """Tell whoever listens to this request's key."""
    prefix, colon, _ = (request.dispatch_key or "").partition(":")
    listener = _LISTENERS.get(prefix) if colon else None
    if listener is not None:
        listener(request)
