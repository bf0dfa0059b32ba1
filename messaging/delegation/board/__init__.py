"""The board of a conversation: tasks that a worker files for its delegates. See docs/delegation.md."""
