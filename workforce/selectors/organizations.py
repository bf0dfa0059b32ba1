"""Reading organizations."""

from __future__ import annotations

from django.db.models import QuerySet

from workforce.actorerrors import UnknownOrganization
from workforce.models import Organization
from workforce.nearest import nearest
from workforce.refusals import is_storable, listed, quoted


def list_organizations() -> QuerySet[Organization]:
    """Every organization, by slug."""
    return Organization.objects.order_by("slug")


def get_organization(slug: str) -> Organization:
    """The organization of a slug. Raises UnknownOrganization, naming the nearest one and those that exist."""
    found = list_organizations().filter(slug=slug).first() if is_storable(slug) else None
    if found is not None:
        return found
    slugs = list(list_organizations().values_list("slug", flat=True))
    near = nearest(slug, slugs)
    hint = f" (did you mean {quoted(near)}?)" if near else ""
    raise UnknownOrganization(
        f"there is no organization {quoted(slug)}{hint}; known: {listed(slugs)}; "
        "'manage.py organization create SLUG' makes one"
    )
