"""Organizations, users and memberships: superusers add and change them, nobody deletes them."""

from __future__ import annotations

from django.test import Client

from tests.factories import make_user
from tests.workforce.admin.conftest import World
from workforce.models import Membership, Organization, User


def management(prefix: str, total: int, initial: int) -> dict[str, str]:
    return {
        f"{prefix}-TOTAL_FORMS": str(total), f"{prefix}-INITIAL_FORMS": str(initial),
        f"{prefix}-MIN_NUM_FORMS": "0", f"{prefix}-MAX_NUM_FORMS": "1000",
    }  # fmt: skip


def test_organization__is_added_by_the_rule_for_names(superuser: Client) -> None:
    for slug, status in (("Not A Name", 200), ("acme", 200), ("north-wind", 302)):
        answer = superuser.post("/admin/workforce/organization/add/", {"slug": slug, "name": "North Wind"})
        assert answer.status_code == status
    assert Organization.objects.filter(slug="north-wind", name="North Wind").count() == 1
    assert Organization.objects.count() == 2


def test_organization__the_slug_stays(superuser: Client, world: World) -> None:
    forms = management("memberships", 0, 0) | management("memberships-2", 0, 0)
    answer = superuser.post(
        world.paths()["workforce.organization"], {"slug": "other", "name": "Acme Ltd", **forms}
    )
    assert answer.status_code == 302
    world.organization.refresh_from_db()
    assert (world.organization.slug, world.organization.name) == ("acme", "Acme Ltd")


def test_membership__added_changed_and_taken_away_on_the_organizations_page(
    superuser: Client, world: World
) -> None:
    path, new = world.paths()["workforce.organization"], make_user("grace")
    place = Membership.objects.get(organization=world.organization, user=world.user)
    added = {
        "name": "acme", **management("memberships", 1, 1), "memberships-0-id": place.pk,
        "memberships-0-organization": world.organization.pk, "memberships-0-role": "operator",
        "memberships-0-is_default": "on", **management("memberships-2", 1, 0),
        "memberships-2-0-organization": world.organization.pk, "memberships-2-0-user": new.pk,
        "memberships-2-0-role": "owner",
    }  # fmt: skip
    assert superuser.post(path, added).status_code == 302
    place.refresh_from_db()
    assert (place.role, place.is_default) == ("operator", True)
    fresh = Membership.objects.get(user=new)
    assert (fresh.organization, fresh.role, fresh.is_default) == (world.organization, "owner", True)
    gone = added | management("memberships-2", 0, 0) | {"memberships-0-DELETE": "on"}
    gone = {name: value for name, value in gone.items() if not name.startswith("memberships-2-0")}
    assert superuser.post(path, gone).status_code == 302
    assert not Membership.objects.filter(pk=place.pk).exists()


def test_user__is_added_with_a_password_and_can_log_in(superuser: Client, client: Client) -> None:
    form = {
        "username": "grace",
        "usable_password": "true",
        "password1": "a long phrase 1",
        "password2": "a long phrase 1",
    }
    answer = superuser.post("/admin/workforce/user/add/", form)
    assert answer.status_code == 302, answer.context["errors"]
    assert User.objects.get(username="grace").check_password("a long phrase 1")


def test_user__the_name_stays_and_the_password_can_be_set(superuser: Client, world: World) -> None:
    forms = management("memberships", 0, 0) | management("memberships-2", 0, 0)
    path = world.paths()["workforce.user"]
    answer = superuser.post(path, {"username": "renamed", "first_name": "Ada", "is_active": "on", **forms})
    assert answer.status_code == 302
    world.user.refresh_from_db()
    assert (world.user.username, world.user.first_name) == ("acme-user", "Ada")
    password = {"usable_password": "true", "password1": "another phrase 2", "password2": "another phrase 2"}
    page = path.replace("change", "password")
    assert superuser.get(page).status_code == 200
    assert superuser.post(page, password).status_code == 302
    world.user.refresh_from_db()
    assert world.user.check_password("another phrase 2")


def test_user__owners_of_an_organization_do_not_touch_accounts(owner_client: Client, world: World) -> None:
    path = world.paths()["workforce.user"]
    for page in (path, path.replace("change", "password"), "/admin/workforce/user/add/"):
        assert owner_client.get(page).status_code == 403
        assert owner_client.post(page, {"password1": "x", "password2": "x"}).status_code == 403


def test_autocomplete__gives_no_names_to_others(
    owner_client: Client, superuser: Client, world: World
) -> None:
    query = "/admin/autocomplete/?app_label=workforce&model_name=membership&field_name=user&term=acme"
    assert superuser.get(query).status_code == 200
    assert owner_client.get(query).status_code == 403
