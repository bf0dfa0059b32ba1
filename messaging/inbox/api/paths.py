"""The parts that paths of inboxes are made of."""

from __future__ import annotations

from uuid import UUID

from django.urls import register_converter

from messaging.inbox.errors import nothing_here


class WordConverter:
    """Any segment: one that names nothing is answered like one that names what is somebody else's."""

    regex = r"[^/]+"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


def message_id(text: str) -> UUID:
    """A message's id. Raises NotFound for what is no UUID: it cannot be one of the inbox."""
    try:
        found = UUID(text) if len(text) == 36 else None
    except ValueError:
        found = None
    if found is None:
        raise nothing_here()
    return found


register_converter(WordConverter, "word")
