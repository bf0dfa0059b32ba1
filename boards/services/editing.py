"""Changing what a row says without moving it. See docs/boards.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from boards.errors import TaskWriteDeclined, TerminalTaskWriteDeclined
from boards.hands import Hand
from boards.limits import LABELS, check_metadata
from boards.models import Board, Task, TaskLabel
from boards.selectors.workers import access_worker_key
from boards.services.changing import Change, change_task, same_json
from boards.transitions import Status, is_ending
from workforce.errors import InvalidInput


class Unset:
    """A patch does not mention the field."""


UNSET = Unset()


@dataclass(frozen=True, slots=True)
class Patch:
    """What to change of a row; what is unset stays."""

    assignee: str | Unset = UNSET
    priority: float | Unset | None = UNSET
    metadata: dict[str, Any] | Unset = UNSET
    add_label: str | Unset = UNSET
    remove_label: str | Unset = UNSET
    #: All labels, and all metadata: what is not among them goes.
    all_labels: tuple[str, ...] | Unset = UNSET
    all_metadata: dict[str, Any] | Unset = UNSET


def assign_task(
    *, board: Board, task_id: str, by: Hand, assignee: str, if_revision: int | None = None
) -> Task:
    """Route the row to another worker key. Raises as ``update_task``."""
    return update_task(
        board=board, task_id=task_id, by=by, patch=Patch(assignee=assignee), if_revision=if_revision
    )


def update_task(
    *, board: Board, task_id: str, by: Hand, patch: Patch, if_revision: int | None = None
) -> Task:
    """Apply the whole patch or nothing. Priority, labels and metadata may change on an ended row too.

    Metadata is merged shallowly. Raises TaskNotFound, UnknownAssignee, TerminalTaskWriteDeclined and
    TaskWriteDeclined (for the assignee), InvalidInput when labels or metadata would grow too large, Stale.
    """

    def decide(task: Task) -> Change | None:
        columns = _routed(board, task, patch)
        if not isinstance(patch.priority, Unset):
            columns |= {"priority": patch.priority, "rank": patch.priority or 0}
        columns["metadata"] = _metadata(task.metadata, patch)
        columns["labels"] = _labels(task.labels, patch)
        changed = {
            name: value for name, value in columns.items() if not same_json(getattr(task, name), value)
        }
        if not changed:
            return None
        then = _store_labels if "labels" in changed else None
        return Change(kind=_kind(changed), columns=changed, then=then)

    return change_task(board=board, task_id=task_id, by=by, decide=decide, if_revision=if_revision)


def _routed(board: Board, task: Task, patch: Patch) -> dict[str, Any]:
    if isinstance(patch.assignee, Unset):
        return {}
    key = access_worker_key(board, patch.assignee)
    check_assignable(task)
    return {"assignee": key}


def check_assignable(task: Task) -> None:
    """Raise when the assignee may not change: the row has ended, or somebody holds it."""
    if is_ending(Status(task.status)):
        raise TerminalTaskWriteDeclined(
            f"'{task.task_id}' is {task.status}, which is final; its assignee stays"
        )
    if task.status == Status.IN_PROGRESS:
        raise TaskWriteDeclined(
            f"'{task.task_id}' is held by '{task.claimed_by}'; release or reclaim it before it is assigned"
        )


def _metadata(present: dict[str, Any], patch: Patch) -> dict[str, Any]:
    whole = present if isinstance(patch.all_metadata, Unset) else patch.all_metadata
    if isinstance(patch.metadata, Unset):
        return whole
    try:
        return check_metadata({**whole, **patch.metadata})
    except ValueError as error:
        raise InvalidInput.at("patch.metadata", f"merged into the row's, it {error}") from None


def _labels(present: list[str], patch: Patch) -> list[str]:
    labels = list(present if isinstance(patch.all_labels, Unset) else dict.fromkeys(patch.all_labels))
    if not isinstance(patch.remove_label, Unset):
        labels = [label for label in labels if label != patch.remove_label]
    if not isinstance(patch.add_label, Unset) and patch.add_label not in labels:
        labels.append(patch.add_label)
        if len(labels) > LABELS:
            raise InvalidInput.at(
                "patch.addLabel", f"the row would have {len(labels)} labels; the limit is {LABELS}"
            )
    return labels


def _kind(changed: dict[str, Any]) -> str:
    """The event's kind: that of the first field that changed, in a fixed order."""
    fields = {"assignee": "assignee", "priority": "priority", "labels": "label", "metadata": "metadata"}
    return next(f"{word}_changed" for name, word in fields.items() if name in changed)


def _store_labels(task: Task) -> None:
    """Keep the look-up rows as the row says."""
    TaskLabel.objects.filter(task=task).exclude(label__in=task.labels).delete()
    rows = [TaskLabel(task=task, label=label) for label in task.labels]
    TaskLabel.objects.bulk_create(rows, ignore_conflicts=True)
