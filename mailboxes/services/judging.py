"""Binding a whole tree: its workers, then its mailboxes. See docs/tree.md, "Loading"."""

from __future__ import annotations

from dataclasses import dataclass

from boards.toolnames import BOARD_TOOLS
from mailboxes.binding import bind_mailboxes, declaration
from mailboxes.boardnames import declared_board_ids
from mailboxes.declarations import Binding, MailboxDeclaration
from mailboxes.kindfacts import mailbox_kind_facts
from mailboxes.services.keeping import NOTHING_KEPT, Kept
from mailboxes.tree import Tree
from mailboxes.tree.broken import broken_places
from workforce.kinds import kind_names, worker_kinds
from workforce.refusals import Refusal
from workforce.roster import Roster, bind_roster
from workforce.toolsets import tool_names
from workforce.tree import Record
from workforce.tree.broken import Broken


@dataclass(frozen=True, slots=True)
class JudgedTree:
    """A tree with what its records became, or why not."""

    tree: Tree
    roster: Roster
    binding: Binding
    #: The declarations of the files with ``mintFor``; none while something is refused.
    templates: tuple[MailboxDeclaration, ...]
    broken: Broken

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """Every problem of every worker, then those of the mailboxes."""
        return (*self.roster.refusals, *self.binding.refusals)


def judge_tree(*, tree: Tree, kept: Kept = NOTHING_KEPT) -> JudgedTree:
    """Bind the records of a tree with the kinds and tools of this process. Needs no database.

    What is ``kept`` may be named by the records although the tree has no file of it.
    """
    roster = bind_roster(
        workers=tree.workers,
        teams=tree.teams,
        documents=[*tree.documents, *(Record(id, "", {}, "") for id in kept.documents)],
        kinds=worker_kinds(),
        all_kinds=kind_names(),
        tools=tool_names(),
        boards=[*declared_board_ids(tree.mailboxes), *kept.boards],
        board_tool_names=BOARD_TOOLS,
        kept_workers=kept.workers,
    )
    binding = bind_mailboxes(
        records=tree.mailboxes,
        projects=tree.projects,
        kinds=mailbox_kind_facts(),
        hearing_seats=roster.hearing | kept.hearing,
        tool_names=BOARD_TOOLS,
    )
    ids = set(binding.template_ids)
    sound = () if binding.refusals else tree.mailboxes
    templates = tuple(declaration(record) for record in sound if record.id in ids)
    return JudgedTree(tree, roster, binding, templates, broken_places(tree.problems))
