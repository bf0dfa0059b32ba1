"""The catalog of tools that a worker's file may name under ``tools``. See docs/tree.md.

Filled from ``AppConfig.ready()``; each app registers what it offers.
"""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured

from workforce.toolnames import TOOL_NAME_LIMIT

_NAMES: set[str] = set()


def register_tool_name(name: str) -> None:
    """Put a tool into the catalog; again is the same. Raises ImproperlyConfigured for a name no model takes."""
    if not name or len(name) > TOOL_NAME_LIMIT:
        raise ImproperlyConfigured(f"tool name {name!r}: 1 to {TOOL_NAME_LIMIT} characters")
    _NAMES.add(name)


def tool_names() -> list[str]:
    """The names of the catalog's tools, sorted."""
    return sorted(_NAMES)
