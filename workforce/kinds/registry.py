"""The kinds of this process, by name. Filled from ``AppConfig.ready()``; nonsense is refused at start."""

from __future__ import annotations

import re
from collections.abc import Mapping

from django.core.exceptions import ImproperlyConfigured

from workforce.errors import NoSuchFlow
from workforce.kinds.base import Kind, WorkerKind
from workforce.nearest import unknown_words

_KINDS: dict[str, Kind] = {}
_NAME = re.compile(r"[a-z][a-z0-9-]{0,63}")


def register_kind(kind: Kind) -> None:
    """Make a kind known. Raises ImproperlyConfigured for a bad or a taken name."""
    if not _NAME.fullmatch(kind.name):
        raise ImproperlyConfigured(
            f"kind name {kind.name!r}: lower-case letters, digits and hyphens, at most 64"
        )
    present = _KINDS.get(kind.name)
    if present is not None and type(present) is not type(kind):
        raise ImproperlyConfigured(
            f"two kinds are named {kind.name!r}: {type(present).__name__} and {type(kind).__name__}"
        )
    _KINDS[kind.name] = kind


def get_kind(name: str) -> Kind:
    """The kind of this name. Raises NoSuchFlow, naming those that are registered."""
    try:
        return _KINDS[name]
    except KeyError:
        raise NoSuchFlow(unknown_words("flow", [name], _KINDS)) from None


def kind_names() -> list[str]:
    """The names of all kinds, sorted."""
    return sorted(_KINDS)


def registered_kinds() -> Mapping[str, Kind]:
    """All kinds by name."""
    return _KINDS


def worker_kinds() -> Mapping[str, WorkerKind]:
    """The kinds that a worker can have, by name."""
    return {name: kind for name, kind in _KINDS.items() if isinstance(kind, WorkerKind)}
