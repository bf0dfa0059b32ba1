"""Making organizations, users and memberships. See docs/identity.md."""

from __future__ import annotations

from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction

from workforce.actorerrors import OrganizationTaken
from workforce.errors import InvalidInput
from workforce.models import Membership, Organization, User
from workforce.names import MAX_NAME_LENGTH, is_name
from workforce.refusals import is_blank, is_storable, quoted

MAX_USERNAME_LENGTH = 150
MAX_DISPLAY_LENGTH = 200


def create_organization(*, slug: str, name: str = "") -> Organization:
    """Make an organization; its name is the slug when none is given.

    Raises InvalidInput for a slug that breaks the rule for names, OrganizationTaken when there is one.
    """
    check_identity_name("slug", slug)
    check_display_text("name", name)
    try:
        with transaction.atomic():
            return Organization.objects.create(slug=slug, name=name or slug)
    except IntegrityError:
        raise OrganizationTaken(f"there is an organization '{slug}' already; choose another slug") from None


def ensure_organization(*, slug: str, name: str = "") -> Organization:
    """The organization of the slug, made when it is missing. Raises InvalidInput as create_organization."""
    check_identity_name("slug", slug)
    check_display_text("name", name)
    return Organization.objects.get_or_create(slug=slug, defaults={"name": name or slug})[0]


def ensure_user(*, username: str) -> User:
    """The user of the name, made at first sight with a password that opens nothing.

    The name is taken exactly as given. Raises InvalidInput for one that is blank, longer than 150
    characters, or that no database can hold.
    """
    if is_blank(username):
        raise InvalidInput.at("userId", "is blank; name a user")
    if len(username) > MAX_USERNAME_LENGTH:
        raise InvalidInput.at("userId", f"is {len(username)} characters long; at most {MAX_USERNAME_LENGTH}")
    if not is_storable(username):
        raise InvalidInput.at("userId", "holds a NUL or half of a surrogate pair; take it out")
    defaults = {"password": lambda: make_password(None)}
    return User.objects.get_or_create(username=username, defaults=defaults)[0]


def ensure_membership(
    *, user: User, organization: Organization, role: Membership.Role = Membership.Role.MEMBER
) -> Membership:
    """The user's place in the organization, made with ``role`` when missing; one that is there keeps its own.

    It becomes the default one when the user has no default membership yet.
    """
    places = Membership.objects.filter(user=user)
    place = places.filter(organization=organization).first()
    if place is not None:
        return place
    is_default = not places.filter(is_default=True).exists()
    try:
        return _get_or_create_membership(user, organization, role, is_default=is_default)
    except IntegrityError:  # at the same moment a place in another organization became the default one
        return _get_or_create_membership(user, organization, role, is_default=False)


def check_identity_name(path: str, name: str) -> None:
    """Raise InvalidInput at ``path`` when ``name`` breaks the rule for names."""
    if not is_name(name):
        raise InvalidInput.at(
            path,
            f"{quoted(name)} breaks the rule for names: lowercase letters, digits and single hyphens between "
            f"them, at most {MAX_NAME_LENGTH} characters, and no device name of Windows (con, nul, com1, …)",
        )


def check_display_text(path: str, text: str) -> None:
    """Raise InvalidInput at ``path`` for a text longer than 200 characters or that no database can hold."""
    if len(text) > MAX_DISPLAY_LENGTH:
        raise InvalidInput.at(path, f"is {len(text)} characters long; at most {MAX_DISPLAY_LENGTH}")
    if not is_storable(text):
        raise InvalidInput.at(path, "holds a NUL or half of a surrogate pair; take it out")


def _get_or_create_membership(
    user: User, organization: Organization, role: Membership.Role, *, is_default: bool
) -> Membership:
    defaults = {"role": role, "is_default": is_default}
    return Membership.objects.get_or_create(user=user, organization=organization, defaults=defaults)[0]
