"""Seats of the kind ``external``: agents that live outside and pull what they owe. See docs/external-seats.md."""
