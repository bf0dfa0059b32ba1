"""What a mailbox keeps in its session's state: its members and its charter, fixed at opening."""

from __future__ import annotations

from typing import Any

from workforce.models import Session


def opening_state(*, members: list[str], charter: str) -> dict[str, Any]:
    """The state of a mailbox that is being opened."""
    return {"members": members, "charter": charter}


def is_mailbox_state(state: Any) -> bool:
    """Whether a session's state is that of an open mailbox. Other keys do not matter."""
    if not isinstance(state, dict) or not isinstance(state.get("charter"), str):
        return False
    members = state.get("members")
    return isinstance(members, list) and all(isinstance(member, str) for member in members)


def is_marked_template(state: dict[str, Any]) -> bool:
    """Whether the last load found a room template at the id of this open mailbox."""
    return bool(state.get("template"))


def with_template_mark(state: dict[str, Any], *, is_template: bool) -> dict[str, Any]:
    """The state of an open mailbox, marked as a room template's id or not."""
    rest = {key: value for key, value in state.items() if key != "template"}
    return {**rest, "template": True} if is_template else rest


def members_of(session: Session) -> list[str]:
    """The members the mailbox was opened with. Only these decide; neither file nor inventory does."""
    return list(session.state["members"])
