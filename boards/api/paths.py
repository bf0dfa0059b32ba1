"""The parts that paths of boards are made of."""

from __future__ import annotations

from django.urls import register_converter


class BoardIdConverter:
    """A board's id: a mailbox's id, a dot and a name, which may hold any letter but a slash."""

    regex = r"[^/]{1,200}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class TaskIdConverter(BoardIdConverter):
    """A row's id. One that cannot have been minted is an unknown row, not an unknown path."""

    regex = r"[^/]{1,64}"


register_converter(BoardIdConverter, "board")
register_converter(TaskIdConverter, "task")
