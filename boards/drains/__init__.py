"""Workers drain boards: they take rows, work them in sessions of their own, and settle them. See docs/boards.md."""
