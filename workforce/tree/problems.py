"""What is wrong with a tree, as data. See docs/tree.md."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workforce.errors import DomainError


class Layer(StrEnum):
    """The part of the workforce that a problem belongs to."""

    WORKER = "worker"
    TEAM = "team"
    DOCUMENT = "document"
    MAILBOX = "mailbox"
    PROJECTS = "projects"


class ProblemKind(StrEnum):
    """What went wrong; the words may change, these do not."""

    WORKER_LOAD_FAILED = "worker-load-failed"
    TEAM_LOAD_FAILED = "team-load-failed"
    DOCUMENT_LOAD_FAILED = "document-load-failed"
    MAILBOX_LOAD_FAILED = "mailbox-load-failed"
    PROJECTS_LOAD_FAILED = "projects-load-failed"
    REFUSED_DECLARATION = "refused-declaration"
    UNREADABLE_SLOT = "unreadable-slot"
    PRE_RENAME_RECORD = "pre-rename-record"


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that did not load: where (relative to the root), in which layer, how, and the mend."""

    path: str
    layer: str
    kind: str
    message: str


class TreeUnreadable(DomainError):
    """The folder of the workforce tree cannot be read."""

    code = "tree-unreadable"


class LoadFailure(Exception):
    """One file cannot be used; its only argument is the sentence that says why and the mend."""

    @property
    def words(self) -> str:
        return str(self)
