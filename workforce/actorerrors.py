"""What is refused about organizations, actors and keys. See docs/identity.md."""

from __future__ import annotations

from workforce.errors import DomainError


class OrganizationTaken(DomainError):
    """An organization with this slug exists."""

    code = "organization-taken"
    status = 409


class UnknownOrganization(DomainError):
    """There is no organization with this slug."""

    code = "unknown-organization"
    status = 404


class PassnameTaken(DomainError):
    """The passname is in use, or was: it is never used again."""

    code = "passname-taken"
    status = 409


class PassnameReserved(DomainError):
    """The passname is reserved; choose another."""

    code = "passname-reserved"
    status = 422


class UnknownPassname(DomainError):
    """No actor of this organization has the passname."""

    code = "unknown-passname"
    status = 422


class UnknownGrant(DomainError):
    """There is no such grant."""

    code = "unknown-grant"
    status = 422


class AlreadyFrozen(DomainError):
    """The actor is frozen already."""

    code = "already-frozen"
    status = 409


class NotFrozen(DomainError):
    """The actor is not frozen."""

    code = "not-frozen"
    status = 409


class ActorRetired(DomainError):
    """The actor was retired, which is final; add another one."""

    code = "actor-retired"
    status = 409


class UnknownKey(DomainError):
    """No key of this organization has the prefix."""

    code = "unknown-key"
    status = 404


class AlreadyRevoked(DomainError):
    """The key was revoked already."""

    code = "already-revoked"
    status = 409
