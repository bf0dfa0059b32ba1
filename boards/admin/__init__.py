"""The operators' admin of boards. See docs/admin.md."""

from boards.admin import boards, tasks

__all__ = ["boards", "tasks"]
