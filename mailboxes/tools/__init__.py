"""The tools by which a seat's model writes to mailboxes. See docs/routing.md, "The tools of a seat"."""
