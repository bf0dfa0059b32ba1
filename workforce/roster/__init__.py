"""Hiring from files: what a tree's workers become, or why not. See docs/tree.md."""

from workforce.roster.binding import bind_roster
from workforce.roster.declarations import Roster, SeatDeclaration

__all__ = ["Roster", "SeatDeclaration", "bind_roster"]
