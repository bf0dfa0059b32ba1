"""Where the problems of a tree say that a mailbox may be there unread. See docs/tree.md."""

from __future__ import annotations

from collections.abc import Iterable

from workforce.names import is_mailbox_id
from workforce.tree import Problem, ProblemKind
from workforce.tree.broken import Broken, mailbox_path

_OLD_SLOT = "channels"
_OLD_FILE = "CHANNEL.md"


def broken_places(problems: Iterable[Problem]) -> Broken:
    """The places of the problems; those of old records are where the mailbox's new home is."""
    return Broken(_place(problem) for problem in problems)


def site_path(site: str) -> str:
    """The path of a room template's site, which is a mailbox id or the path of projects.yaml itself."""
    return mailbox_path(site) if is_mailbox_id(site) else site


def _place(problem: Problem) -> str:
    path = problem.path
    if problem.kind != ProblemKind.PRE_RENAME_RECORD:
        return path
    steps = path.removesuffix(f"/{_OLD_FILE}").split("/")
    if len(steps) > 2 and steps[2] == _OLD_SLOT:
        steps[2] = "mailboxes"
    return "/".join(steps)
