"""Who is calling: the same object behind every door."""

from __future__ import annotations

from dataclasses import dataclass

from workforce.errors import NotAllowed, NotGranted
from workforce.models import Grant, Organization, Request, User


@dataclass(frozen=True, slots=True)
class Caller:
    """A user in an organization, with what the credential allows.

    ``grants`` is None for a caller that is not limited to some (open mode, a browser session). What is of an actor
    and its key is there when the call was made with one. ``operates`` is False for a browser session whose user is
    only a member of the organization: it may look, and work what is its own.
    """

    user: User
    organization: Organization
    passname: str = ""
    actor_id: int | None = None
    key_id: int | None = None
    key_prefix: str = ""
    grants: frozenset[str] | None = None
    source: Request.Source = Request.Source.HTTP
    operates: bool = True

    def check_granted(self, grant: Grant) -> None:
        """Raise NotGranted, naming the grant, when the key is without it."""
        if self.grants is not None and grant not in self.grants:
            raise NotGranted(
                f"the key of '{self.passname}' does not have the grant '{grant}' that this call needs"
            )

    def check_operates(self) -> None:
        """Raise NotAllowed for a browser session without the role of an operator."""
        if not self.operates:
            raise NotAllowed(
                f"'{self.user.username}' is only a member of '{self.organization.slug}'; this needs the role "
                "operator or owner"
            )
