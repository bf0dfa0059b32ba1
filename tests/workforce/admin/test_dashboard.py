"""The first page: what is stuck and who owes what, in a constant number of queries."""

from __future__ import annotations

from datetime import timedelta

from django.db import connection
from django.test import Client

from tests.factories import make_user
from tests.workforce.admin.conftest import World, post
from workforce import clock
from workforce.admin.bounded import unfinished
from workforce.models import Request
from workforce.services.actors import freeze_actor


def cards(client: Client) -> dict[str, int]:
    answer = client.get("/admin/")
    assert answer.status_code == 200
    return {card["name"]: card["number"] for card in answer.context["dashboard"]["cards"]}


def test_cards__count_the_callers_organizations(
    operator: Client, superuser: Client, world: World, elsewhere: World
) -> None:
    freeze_actor(organization=world.organization, passname=world.actor.passname)
    assert cards(operator) == {
        "open mailboxes": 1,
        "seats on the roster": 1,
        "requests waiting": 1,
        "requests running": 0,
        "failed in 24 h": 1,
        "frozen actors": 1,
        "keys expiring": 1,
    }
    assert cards(superuser)["open mailboxes"] == 2
    assert cards(superuser)["frozen actors"] == 1


def test_cards__lead_to_the_rows_they_count(operator: Client, world: World) -> None:
    for card in operator.get("/admin/").context["dashboard"]["cards"]:
        answer = operator.get(card["url"])
        assert answer.status_code == 200
        assert len(answer.context["cl"].result_list) == card["number"]


def test_index__shows_what_waits_what_failed_and_what_was_said(operator: Client, world: World) -> None:
    Request.objects.filter(pk=world.waiting.pk).update(created_at=clock.now() - timedelta(hours=3))
    page = operator.get("/admin/").content.decode()
    assert "3\N{NO-BREAK SPACE}h\N{NO-BREAK SPACE}ago" in page
    assert "author-not-a-member" in page
    assert "A line of acme." in page
    assert f"/admin/workforce/inventorymailbox/{world.mailbox.pk}/change/" in page
    assert world.key.prefix in page


def test_index__shows_nothing_of_others(operator: Client, world: World, elsewhere: World) -> None:
    assert b"umbrella" not in operator.get("/admin/").content


def test_index__a_stuck_place_is_one_row(operator: Client, world: World) -> None:
    for _ in range(4):
        post(world.session, "And?")
    waiting = operator.get("/admin/").context["dashboard"]["waiting"]
    assert [(row["action"], row["count"]) for row in waiting] == [("onPosted", 5)]


def test_index__queries_do_not_grow(superuser: Client, world: World, django_assert_max_num_queries) -> None:
    superuser.get("/admin/")
    with django_assert_max_num_queries(14):
        superuser.get("/admin/")
    for _ in range(20):
        post(world.session, "More.")
        post(world.session, "No.", author="stranger")
    with django_assert_max_num_queries(14):
        superuser.get("/admin/")


def test_index__empty_says_how_to_load_a_tree(client: Client, db: None) -> None:
    client.force_login(make_user(is_staff=True, is_superuser=True))
    answer = client.get("/admin/")
    assert answer.status_code == 200
    assert b"manage.py load_workforce" in answer.content
    assert b"Nothing waits and nothing runs." in answer.content


def test_unfinished__is_read_from_its_index(db: None) -> None:
    plan = unfinished(Request.objects.all()).explain()
    if connection.vendor == "sqlite":  # on PostgreSQL the plan depends on the size of the table
        assert "request_unfinished" in plan or "request_due" in plan


def test_index__shows_the_last_line_of_each_mailbox(
    superuser: Client, world: World, elsewhere: World
) -> None:
    post(world.session, "The newest of acme.")
    lines = superuser.get("/admin/").context["dashboard"]["lines"]
    assert [row["body"] for row in lines] == ["The newest of acme.", "A line of umbrella."]
