"""Where loads go and whose they are, unless a test says otherwise."""

from tests.mailboxes.loads import organization, user

__all__ = ["organization", "user"]
