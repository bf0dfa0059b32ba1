"""One act on many rows of a board: each row for itself, each refusal in words."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest

from boards.admin.acts import BULK, Act
from boards.admin.cards import name_of
from boards.admin.pressing import press, refusal_words, revision_of, value_of
from boards.models import Board, Task
from workforce.admin.shown import storable
from workforce.errors import DomainError, InvalidInput

#: How many rows one call takes, and how many refusals it tells of.
MOST, TOLD = 200, 20


def press_many(request: HttpRequest, board: Board) -> list[Task]:
    """Do the act that was chosen to the rows that were, and say what came of each; returns those it was done to.

    A row is chosen with its revision. Raises InvalidInput, with nothing done, for a call that makes no sense.
    """
    act = _chosen(request)
    value = value_of(act, request.POST)
    picks = _picks(request.POST.getlist("row"))
    rows = {task.pk: task for task in Task.objects.filter(board=board, pk__in=[pk for pk, _ in picks])}
    done: list[Task] = []
    refused: list[str] = []
    for pk, revision in picks:
        task = rows.get(pk)
        if task is None:
            refused.append("A row that was chosen is not on this board.")
            continue
        task.board = board
        try:
            press(request, act, task, revision, value)
        except DomainError as refusal:
            refused.append(f"“{name_of(task)}”: {refusal_words(refusal)}")
        else:
            done.append(task)
    _tell(request, act, len(done), refused)
    return done


def _chosen(request: HttpRequest) -> Act:
    name = request.POST.get("act", "")
    act = next((act for act in BULK if act.name == name), None)
    if act is None:
        raise InvalidInput("Choose what to do with the rows.")
    return act


def _picks(values: Sequence[str]) -> list[tuple[int, int]]:
    if not values:
        raise InvalidInput("Choose some rows first.")
    if len(values) > MOST:
        raise InvalidInput(f"{len(values)} rows were chosen; at most {MOST} at once.")
    parts = [value.partition(":") for value in dict.fromkeys(values)]
    return [(revision_of(pk), revision_of(revision)) for pk, _, revision in parts]


def _tell(request: HttpRequest, act: Act, done: int, refused: list[str]) -> None:
    if done:
        messages.success(request, f"{act.label}: done to {done} {'row' if done == 1 else 'rows'}.")
    for words in refused[:TOLD]:
        messages.error(request, storable(words))
    if len(refused) > TOLD:
        messages.error(request, f"{len(refused) - TOLD} more were refused.")
