"""The rows of the boards app; import them from here."""

from boards.models.boards import Board

__all__ = ["Board"]
