"""Who may open which page: superusers all, owners and operators their organization's, others none."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.test import Client

from tests.workforce.admin.conftest import Login, World
from workforce.admin.base import ScopedAdmin

SUPERUSERS_ONLY = ("workforce.organization", "workforce.user")
OURS = [
    model
    for model in admin.site._registry
    if model._meta.app_label in {"workforce", "mailboxes", "boards", "messaging"}
]
LISTS = [f"{model._meta.app_label}.{model._meta.model_name}" for model in OURS]


def list_path(name: str) -> str:
    return f"/admin/{name.replace('.', '/')}/"


def test_the_world_has_a_row_of_every_registered_model(world: World) -> None:
    assert set(world.rows) == set(LISTS)


@pytest.mark.parametrize("name", LISTS)
def test_page__superuser_sees_every_organization(
    superuser: Client, world: World, elsewhere: World, name: str
) -> None:
    assert superuser.get(list_path(name)).status_code == 200
    assert superuser.get(world.paths()[name]).status_code == 200
    assert superuser.get(elsewhere.paths()[name]).status_code == 200


@pytest.mark.parametrize("role", ["owner", "operator"])
@pytest.mark.parametrize("name", [name for name in LISTS if name not in SUPERUSERS_ONLY])
def test_page__those_who_run_an_organization_see_its_rows_only(
    login: Login, world: World, elsewhere: World, name: str, role: str
) -> None:
    client = login(role)
    listed = client.get(list_path(name))
    assert listed.status_code == 200
    assert b"umbrella" not in listed.content
    assert client.get(world.paths()[name]).status_code == 200
    assert client.get(elsewhere.paths()[name]).status_code == 404


@pytest.mark.parametrize("name", SUPERUSERS_ONLY)
def test_page__organizations_and_users_are_for_superusers(login: Login, world: World, name: str) -> None:
    client = login("owner")
    for path in (list_path(name), list_path(name) + "add/", world.paths()[name]):
        assert client.get(path).status_code == 403


@pytest.mark.parametrize("who", [None, "member"])
@pytest.mark.parametrize("name", LISTS)
def test_page__staff_who_run_nothing_are_refused(
    login: Login, world: World, name: str, who: str | None
) -> None:
    client = login(who)
    assert client.get(list_path(name)).status_code == 403
    assert client.get(world.paths()[name]).status_code in (403, 404)


@pytest.mark.parametrize("name", LISTS)
def test_page__not_staff_is_sent_to_the_login(login: Login, world: World, name: str) -> None:
    for client in (login("owner", staff=False), Client()):
        for path in (list_path(name), world.paths()[name], "/admin/"):
            answer = client.get(path)
            assert answer.status_code == 302
            assert answer["Location"].startswith("/admin/login/")


@pytest.mark.parametrize("name", [name for name in LISTS if name not in SUPERUSERS_ONLY])
def test_page__read_only_also_for_superusers(superuser: Client, world: World, name: str) -> None:
    before = type(world.rows[name]).objects.values().get(pk=world.rows[name].pk)
    page = world.paths()[name]
    assert superuser.post(page, {"kind": "other"}).status_code in (403, 405)
    assert superuser.post(page.replace("change", "delete"), {"post": "yes"}).status_code == 403
    if name not in ("workforce.actor", "workforce.seat", "messaging.digestsubscription", "messaging.inbox"):
        assert superuser.get(list_path(name) + "add/").status_code == 403
    assert type(world.rows[name]).objects.values().get(pk=world.rows[name].pk) == before


@pytest.mark.parametrize("name", SUPERUSERS_ONLY)
def test_delete__is_nowhere(superuser: Client, world: World, name: str) -> None:
    assert superuser.post(world.paths()[name].replace("change", "delete"), {"post": "yes"}).status_code == 403


@pytest.mark.parametrize("model", OURS)
def test_list__has_no_bulk_action_and_counts_no_whole_table(model: type) -> None:
    found = admin.site._registry[model]
    assert isinstance(found, ScopedAdmin)
    assert found.actions is None
    assert found.show_full_result_count is False


def test_list__cannot_be_probed_with_lookups(superuser: Client, operator: Client, world: World) -> None:
    for path in (
        "/admin/workforce/key/?digest__startswith=a",
        "/admin/workforce/session/?owner__password__startswith=a",
        "/admin/workforce/user/?password__startswith=a",
    ):
        assert superuser.get(path).status_code == 400
    assert operator.get("/admin/workforce/actor/?user__email__startswith=a").status_code == 400


def test_filter__names_no_other_organization(login: Login, world: World, elsewhere: World) -> None:
    client = login("operator")
    for name in LISTS:
        if name not in SUPERUSERS_ONLY:
            assert b"umbrella" not in client.get(list_path(name)).content
    asked = client.get("/admin/workforce/seat/?organization=umbrella")
    assert {seat.organization for seat in asked.context["cl"].result_list} <= {world.organization}


def test_index__plain_staff_learn_why_it_is_empty(login: Login) -> None:
    answer = login(None).get("/admin/")
    assert answer.status_code == 200
    assert b"not an owner or an operator" in answer.content


@pytest.mark.parametrize("name", [name for name in LISTS if name not in SUPERUSERS_ONLY])
def test_page__leads_operators_to_no_closed_page(operator: Client, world: World, name: str) -> None:
    for path in (list_path(name), world.paths()[name]):
        content = operator.get(path).content
        assert b"/admin/workforce/user/" not in content
        assert b"/admin/workforce/organization/" not in content
