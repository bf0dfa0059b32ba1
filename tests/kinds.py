"""Kinds of a deployment of its own, for tests."""

from __future__ import annotations

from typing import Any

from mailboxes.kind import BaseMailboxKind
from mailboxes.state import is_mailbox_state
from workforce.errors import DomainError
from workforce.kinds import Action, Call, ClosedModel, Mode, NoInput
from workforce.models import Item
from workforce.selectors.lines import line_of
from workforce.services.items import append_item, keep_line
from workforce.texts import Body


class NotOpen(DomainError):
    """These announcements were never opened."""

    code = "announcements-not-open"
    status = 409


class Announcement(ClosedModel):
    text: Body
    seen_by: list[str] = []


def announce(call: Call) -> dict[str, Any]:
    if not is_mailbox_state(call.session.state):
        raise NotOpen
    item = keep_line(session=call.session, request=call.request, body=call.input.text, principal="announcer")
    return line_of(item)


def boom(call: Call) -> None:
    append_item(session=call.session, request=call.request, type=Item.Type.MESSAGE, data={"half": True})
    raise NotOpen("after it wrote something")


def defect(call: Call) -> None:
    append_item(session=call.session, request=call.request, type=Item.Type.MESSAGE, data={"half": True})
    raise RuntimeError("secret words of a defect")


def later(call: Call) -> dict[str, Any]:
    append_item(session=call.session, request=call.request, type=Item.Type.MESSAGE, data={"ran": True})
    return {"ran": call.request.attempts}


class Announcements(BaseMailboxKind):
    """A mailbox kind with actions of its own, data and background, public and internal."""

    name = "announcements"
    description = "Announcements for tests."

    def declare_actions(self) -> list[Action]:
        return [
            Action(name="announce", input=Announcement, run=announce, serial=True),
            Action(name="boom", input=NoInput, run=boom, serial=True),
            Action(name="defect", input=NoInput, run=defect, serial=True),
            Action(name="later", input=NoInput, run=later, serial=True, mode=Mode.BACKGROUND),
            Action(name="laterBoom", input=NoInput, run=boom, serial=True, mode=Mode.BACKGROUND),
            Action(name="laterDefect", input=NoInput, run=defect, serial=True, mode=Mode.BACKGROUND),
            Action(name="hidden", input=NoInput, run=later, public=False),
        ]
