"""What a mailbox's file says today against what the mailbox was opened with. See docs/mailboxes.md."""

from __future__ import annotations

from dataclasses import dataclass

from mailboxes.models import Declaration
from mailboxes.state import is_mailbox_state
from workforce.models import Session
from workforce.refusals import listed, quoted


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing on which file and mailbox differ. The mailbox keeps its own; ``words`` name both sides."""

    what: str
    words: str
    file: str = ""
    open: str = ""


def drift_of(declaration: Declaration | None, session: Session | None) -> list[Difference]:
    """The differences in kind, members, description and charter; none when one side is missing."""
    if declaration is None or session is None or not declaration.live or not is_mailbox_state(session.state):
        return []
    found = []
    if declaration.kind != session.kind:
        words = f"the file says {quoted(declaration.kind)}; the mailbox was opened as {quoted(session.kind)}"
        found.append(Difference("kind", words))
    members = _members(declaration.members, session.state["members"])
    if members:
        found.append(Difference("members", members))
    if declaration.description != session.description:
        words = "the file has another description than the mailbox was opened with"
        found.append(Difference("description", words, declaration.description, session.description))
    charter = session.state["charter"]
    if declaration.charter != charter:
        words = "the file has another charter than the one that the mailbox works under"
        found.append(Difference("charter", words, declaration.charter, charter))
    return found


def _members(file: list[str], opened: list[str]) -> str:
    added = [member for member in file if member not in opened]
    dropped = [member for member in opened if member not in file]
    words = []
    if not added and not dropped and file != opened:
        words.append("the file lists the same members in another order")
    if added:
        words.append(f"the file adds {listed(added)}, who is not told of posts")
    if dropped:
        words.append(f"the file drops {listed(dropped)}, who is still a member")
    return "; ".join(words)
