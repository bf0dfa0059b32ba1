"""Rows of a board read by statements of our own."""

from __future__ import annotations

from boards.models import Task
from workforce.selectors.statements import Rows

TASKS = Rows(Task)
