"""What a load did, as data. See docs/tree.md, "Loading"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from mailboxes.errors import LoadRefused
from workforce.refusals import Refusal
from workforce.tree import Problem


@dataclass(slots=True)
class LoadReport:
    """What a load found and did.

    ``opened``, ``unchanged`` and ``undeclared`` are mailbox ids: opened now, open before and left alone, open
    although they left the tree. ``hired`` are worker ids. ``changed`` and ``retired`` hold worker ids as they
    are; documents as ``document <id>``; ``changed`` also the ids of mailboxes whose boards, routing or board
    actions are others than before, and ``projects`` for the room template.
    """

    problems: tuple[Problem, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    opened: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    hired: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)
    undeclared: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    #: Records that were read and sound.
    records: int = 0
    #: Whether the load went on without what is broken.
    skip_broken: bool = False
    #: Whether the organization is now as the tree says.
    applied: bool = False

    @property
    def stopped(self) -> bool:
        """Whether problems or refusals kept the load from changing anything."""
        return bool(self.refusals) or (bool(self.problems) and not self.skip_broken)

    @property
    def changed_anything(self) -> bool:
        """Whether the load made the organization another one than before."""
        return bool(self.opened or self.hired or self.changed or self.retired)

    @property
    def exit_code(self) -> int:
        """0: all is well; 1: nothing was changed; 3: something broken was passed over."""
        if self.stopped:
            return 1
        return 3 if self.problems else 0

    def as_data(self) -> dict[str, Any]:
        """The report for programs, its keys in a fixed order."""
        return {
            "problems": [_problem(problem) for problem in self.problems],
            "refusals": [{"id": refusal.id, "message": refusal.message} for refusal in self.refusals],
            "opened": self.opened,
            "unchanged": self.unchanged,
            "hired": self.hired,
            "changed": self.changed,
            "retired": self.retired,
            "undeclared": self.undeclared,
            "warnings": self.warnings,
        }


def refused_load(refusals: Sequence[Refusal]) -> LoadRefused:
    """The error that takes everything back and names each refusal."""
    reasons = [{"id": refusal.id, "message": refusal.message} for refusal in refusals]
    return LoadRefused(
        "; ".join(f"{refusal.id}: {refusal.message}" for refusal in refusals), refusals=reasons
    )


def refusals_of(error: LoadRefused) -> tuple[Refusal, ...]:
    """The refusals that the error carries; none when it is about the load as a whole."""
    return tuple(Refusal(**reason) for reason in error.data.get("refusals", ()))


def document_names(ids: Iterable[str]) -> list[str]:
    """How documents stand in a report, beside workers and mailboxes that may have the same ids."""
    return [f"document {document}" for document in ids]


def _problem(problem: Problem) -> dict[str, str]:
    return {
        "layer": str(problem.layer),
        "kind": str(problem.kind),
        "path": problem.path,
        "message": problem.message,
    }
