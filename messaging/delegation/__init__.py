"""Delegation: coordinators and their delegates, and the board of a conversation. See docs/delegation.md."""
