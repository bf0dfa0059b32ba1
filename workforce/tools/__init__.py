"""The tools of a turn that read what the organization has: a door, above the selectors it calls."""
