"""Who is calling: the same object behind every door."""

from __future__ import annotations

from dataclasses import dataclass

from workforce.errors import NotGranted
from workforce.models import Grant, Organization, Request, User


@dataclass(frozen=True, slots=True)
class Caller:
    """A user in an organization, with what the credential allows.

    ``grants`` is None for a caller that is not limited to some (open mode, a browser session).
    ``passname`` and ``actor_id`` are there when the call was made with a key.
    """

    user: User
    organization: Organization
    passname: str = ""
    actor_id: int | None = None
    key_id: int | None = None
    grants: frozenset[str] | None = None
    source: Request.Source = Request.Source.HTTP

    def check_granted(self, grant: Grant) -> None:
        """Raise NotGranted, naming the grant, when the key is without it."""
        if self.grants is not None and grant not in self.grants:
            raise NotGranted(
                f"the key of '{self.passname}' does not have the grant '{grant}' that this call needs"
            )
