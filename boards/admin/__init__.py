"""The operators' admin of boards. See docs/admin.md."""

from boards.admin import boards

__all__ = ["boards"]
