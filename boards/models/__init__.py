"""The rows of the boards app; import them from here."""

from boards.models.boards import Board, BoardWorker
from boards.models.tallies import Tally
from boards.models.tasks import Task, TaskDep, TaskEvent, TaskLabel

__all__ = ["Board", "BoardWorker", "Tally", "Task", "TaskDep", "TaskEvent", "TaskLabel"]
