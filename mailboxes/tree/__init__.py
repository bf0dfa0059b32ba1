"""Reading a whole workforce tree, mailboxes included. See docs/tree.md."""

from __future__ import annotations

from mailboxes.tree.roster import Tree, read_tree

__all__ = ["Tree", "read_tree"]
