"""Organizations, users and memberships."""

from __future__ import annotations

import pytest
from django.db import IntegrityError
from django.db.models import QuerySet

from tests.factories import make_organization, make_user
from tests.workforce.refusing import refused
from workforce.actorerrors import OrganizationTaken, UnknownOrganization
from workforce.errors import InvalidInput
from workforce.models import Membership, Organization, User
from workforce.selectors.organizations import get_organization, list_organizations
from workforce.services.organizations import (
    create_organization,
    ensure_membership,
    ensure_organization,
    ensure_user,
)

pytestmark = pytest.mark.django_db

BAD_SLUGS = ["", "Acme", "a_b", "a--b", "-a", "a.b", "con", "_meta", "a" * 65, "a\x00b", "ä", "a b", "a\n"]


def test_create_organization__name_defaults_to_the_slug() -> None:
    assert create_organization(slug="acme").name == "acme"
    assert create_organization(slug="beta-2", name="Beta Two").name == "Beta Two"


@pytest.mark.parametrize("slug", BAD_SLUGS)
def test_create_organization__slug_out_of_rule(slug: str) -> None:
    with refused(InvalidInput, "slug", "rule for names"):
        create_organization(slug=slug)
    with refused(InvalidInput, "slug"):
        ensure_organization(slug=slug)


@pytest.mark.parametrize("name", ["n" * 201, "a\x00", "\ud800"])
def test_create_organization__name_that_cannot_be_kept(name: str) -> None:
    with refused(InvalidInput, "name"):
        create_organization(slug="acme", name=name)


def test_create_organization__taken() -> None:
    make_organization("acme")
    with refused(OrganizationTaken, "'acme'"):
        create_organization(slug="acme", name="Another")


def test_ensure_organization__makes_it_once() -> None:
    first = ensure_organization(slug="acme", name="Acme")
    assert ensure_organization(slug="acme", name="Other") == first
    assert Organization.objects.get().name == "Acme"


def test_get_organization__unknown_names_the_nearest_and_all() -> None:
    acme = make_organization("acme")
    make_organization("zeta")
    assert get_organization("acme") == acme
    assert [entry.slug for entry in list_organizations()] == ["acme", "zeta"]
    with refused(UnknownOrganization, "did you mean 'acme'", "'acme', 'zeta'", "organization create"):
        get_organization("acne")
    with refused(UnknownOrganization):
        get_organization("a\x00")


def test_ensure_user__at_first_sight() -> None:
    user = ensure_user(username="ada@example.org")
    assert not user.has_usable_password()
    assert user.is_active
    assert not user.is_staff
    assert ensure_user(username="ada@example.org") == user
    assert User.objects.count() == 1


def test_ensure_user__an_existing_one_keeps_its_password() -> None:
    known = User.objects.create_user("ada", password="a long secret")
    assert ensure_user(username="ada").check_password("a long secret")
    known.refresh_from_db()
    assert known.check_password("a long secret")


def test_ensure_user__names_are_exact() -> None:
    names = ["ada", "Ada", " ada", "ℌ", "H", "a" * 150]
    assert len({ensure_user(username=name).pk for name in names}) == len(names)
    assert sorted(User.objects.values_list("username", flat=True)) == sorted(names)


@pytest.mark.parametrize("username", ["", " ", "\t\n", "a" * 151, "a\x00b", "\ud800", "x\udfff"])
def test_ensure_user__name_that_cannot_be_kept(username: str) -> None:
    with refused(InvalidInput, "userId"):
        ensure_user(username=username)


def test_ensure_membership__the_first_is_the_default_one() -> None:
    user = make_user()
    one, two = make_organization(), make_organization()
    first = ensure_membership(user=user, organization=one, role=Membership.Role.OWNER)
    second = ensure_membership(user=user, organization=two)
    assert (first.role, first.is_default) == ("owner", True)
    assert (second.role, second.is_default) == ("member", False)


def test_ensure_membership__one_that_is_there_keeps_its_role() -> None:
    user, organization = make_user(), make_organization()
    first = ensure_membership(user=user, organization=organization, role=Membership.Role.OWNER)
    again = ensure_membership(user=user, organization=organization, role=Membership.Role.MEMBER)
    assert again == first
    assert again.role == Membership.Role.OWNER
    assert Membership.objects.count() == 1


def test_ensure_membership__two_users_have_a_default_each() -> None:
    organization = make_organization()
    places = [ensure_membership(user=make_user(), organization=organization) for _ in range(2)]
    assert all(place.is_default for place in places)


def test_ensure_membership__another_default_at_the_same_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A place in another organization becomes the default one between the look and the write."""
    user = make_user()
    one, two = make_organization(), make_organization()
    exists = QuerySet.exists

    def exists_and_race(self: QuerySet[Membership]) -> bool:
        monkeypatch.setattr(QuerySet, "exists", exists)
        found = self.exists()
        Membership.objects.create(user=user, organization=one, is_default=True)
        return found

    monkeypatch.setattr(QuerySet, "exists", exists_and_race)
    place = ensure_membership(user=user, organization=two)
    assert (place.organization, place.is_default) == (two, False)
    assert Membership.objects.filter(user=user).count() == 2


def test_ensure_membership__the_same_one_at_the_same_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    user, organization = make_user(), make_organization()
    made = ensure_membership(user=user, organization=organization)
    empty = Membership.objects.none()
    monkeypatch.setattr(Membership.objects, "filter", lambda **_: empty)
    assert ensure_membership(user=user, organization=organization) == made


def test_constraints__one_default_membership_and_one_per_organization() -> None:
    place = ensure_membership(user=make_user(), organization=make_organization())
    with pytest.raises(IntegrityError):
        Membership.objects.create(user=place.user, organization=make_organization(), is_default=True)
