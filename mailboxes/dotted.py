"""Callables that a setting names by their dotted path."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string


def load_callable(setting: str, path: object, *, known: Iterable[str] = ()) -> Any:
    """What the setting names. Raises ImproperlyConfigured, saying the setting and what is wrong with it.

    ``known`` are the words that the setting takes beside a path.
    """
    words = "".join(f"'{word}', " for word in known)
    if not isinstance(path, str) or "." not in path:
        raise ImproperlyConfigured(f"{setting}: {path!r} is none of {words}a dotted path of a callable")
    try:
        found = import_string(path)
    except ImportError as error:
        raise ImproperlyConfigured(f"{setting}: {path!r} cannot be imported: {error}") from error
    if not callable(found):
        raise ImproperlyConfigured(f"{setting}: {path!r} is no callable")
    return found
