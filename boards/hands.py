"""Who changes a row: what its history says of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hand:
    """A user, with the key or the seat through which the change came."""

    principal: str
    passname: str = ""
    seat: str = ""

    @property
    def shown(self) -> str:
        """The name under which a claim is shown."""
        return self.seat or self.passname or self.principal


#: What the sweep and the claim of others do to a row, nobody did.
NOBODY = Hand(principal="")
