"""Who sees what in the admin: superusers everything, other staff the organizations they run. See docs/admin.md."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest

from workforce.models import Membership, Organization

_Row = TypeVar("_Row", bound=Model)
_RUNNING = (Membership.Role.OWNER, Membership.Role.OPERATOR)


def is_superuser(request: HttpRequest) -> bool:
    """Whether the caller may see every organization, and change organizations and users."""
    return bool(request.user.is_active and request.user.is_staff and request.user.is_superuser)


def roles(request: HttpRequest) -> dict[int, str]:
    """The organizations that the caller is an owner or operator of, with the role. One query per request."""
    found: dict[int, str] | None = getattr(request, "_workforce_roles", None)
    if found is None:
        user: Any = request.user
        rows = Membership.objects.filter(user_id=user.pk, role__in=_RUNNING) if user.is_staff else ()
        found = {row.organization_id: row.role for row in rows}
        request._workforce_roles = found  # type: ignore[attr-defined]
    return found


def may_look(request: HttpRequest) -> bool:
    """Whether the caller may see the rows of some organization."""
    user = request.user
    return bool(user.is_active and user.is_staff and (user.is_superuser or roles(request)))


def may_own(request: HttpRequest, organization_id: int) -> bool:
    """Whether the caller may decide who calls in the organization: its owners, and superusers."""
    return is_superuser(request) or roles(request).get(organization_id) == Membership.Role.OWNER


def owns_any(request: HttpRequest) -> bool:
    """Whether the caller may decide who calls in some organization."""
    return is_superuser(request) or Membership.Role.OWNER in roles(request).values()


def within(request: HttpRequest, rows: QuerySet[_Row], path: str) -> QuerySet[_Row]:
    """The rows that the caller may see; ``path`` leads from a row to its organization."""
    return rows if is_superuser(request) else rows.filter(**{f"{path}__in": list(roles(request))})


def visible_organizations(request: HttpRequest) -> QuerySet[Organization]:
    """The organizations whose rows the caller may see, by slug."""
    return within(request, Organization.objects.order_by("slug"), "pk")


def owned_organizations(request: HttpRequest) -> QuerySet[Organization]:
    """The organizations in which the caller may decide who calls, by slug."""
    visible = Organization.objects.order_by("slug")
    if is_superuser(request):
        return visible
    owned = [pk for pk, role in roles(request).items() if role == Membership.Role.OWNER]
    return visible.filter(pk__in=owned)
