"""Requests: what failed can be run again, what waits can be stopped, and what came in is only text."""

from __future__ import annotations

import pytest
from django.contrib.messages import get_messages
from django.http import HttpResponse
from django.test import Client

from tests.workforce.admin.conftest import Login, World, post
from workforce.models import Request

EVIL = "<script>alert(1)</script>"
Status = Request.Status


def press(client: Client, request: Request, button: str) -> HttpResponse:
    return client.post(f"/admin/workforce/request/{request.pk}/{button}/")


def page(client: Client, request: Request) -> str:
    answer = client.get(f"/admin/workforce/request/{request.pk}/change/")
    assert answer.status_code == 200
    return answer.content.decode()


def words(answer: HttpResponse) -> str:
    return " ".join(str(message) for message in get_messages(answer.wsgi_request))


def test_retry__makes_a_new_request_in_the_owners_name(operator: Client, world: World) -> None:
    world.session.state["members"].append("stranger")
    world.session.save(update_fields=["state"])
    answer = press(operator, world.refused, "retry")
    again = Request.objects.get(retry_of_uid=world.refused.uid)
    assert answer["Location"] == f"/admin/workforce/request/{again.pk}/change/"
    assert (again.status, again.source, again.input) == ("completed", "admin", world.refused.input)
    assert again.session == world.session
    line = again.items.get()
    assert (line.principal, line.author) == (world.user.username, "stranger")
    assert "retried as" in page(operator, world.refused)
    assert "retry of" in page(operator, again)


def test_retry__that_fails_again_says_why(operator: Client, world: World) -> None:
    answer = press(operator, world.refused, "retry")
    assert "author-not-a-member" in words(answer)
    assert Request.objects.filter(retry_of_uid=world.refused.uid, status=Status.FAILED).count() == 1


@pytest.mark.parametrize("status", [Status.COMPLETED, Status.PENDING, Status.IN_PROGRESS])
def test_retry__only_what_failed_or_was_aborted(operator: Client, world: World, status: str) -> None:
    Request.objects.filter(pk=world.refused.pk).update(status=status)
    before = Request.objects.count()
    assert "not-retryable" in words(press(operator, world.refused, "retry"))
    assert Request.objects.count() == before
    assert "/retry/" not in page(operator, world.refused)


def test_retry__of_an_internal_entry_once(operator: Client, world: World) -> None:
    Request.objects.filter(pk=world.waiting.pk).update(status=Status.FAILED)
    assert "/retry/" in page(operator, world.waiting)
    press(operator, world.waiting, "retry")
    again = Request.objects.get(retry_of_uid=world.waiting.uid)
    assert (again.status, again.action, again.input) == (
        Status.PENDING,
        world.waiting.action,
        world.waiting.input,
    )
    assert again.counted == Request.Counted.NO
    assert "not-retryable" in words(press(operator, world.waiting, "retry"))
    assert Request.objects.filter(retry_of_uid=world.waiting.uid).count() == 1


def test_retry__a_kind_that_is_gone_is_a_page_without_the_button(operator: Client, world: World) -> None:
    world.session.kind = "gone"
    world.session.save(update_fields=["kind"])
    assert "/retry/" not in page(operator, world.refused)
    assert "no-such-flow" in words(press(operator, world.refused, "retry"))


def test_abort__stops_what_waits_and_tells_what_runs(operator: Client, world: World) -> None:
    assert "/abort/" in page(operator, world.waiting)
    assert "will not run" in words(press(operator, world.waiting, "abort"))
    world.waiting.refresh_from_db()
    assert world.waiting.status == Status.ABORTED
    assert "already-ended" in words(press(operator, world.waiting, "abort"))
    Request.objects.filter(pk=world.waiting.pk).update(status=Status.IN_PROGRESS, abort_requested_at=None)
    assert "told to stop" in words(press(operator, world.waiting, "abort"))
    world.waiting.refresh_from_db()
    assert (world.waiting.status, world.waiting.abort_requested_at is not None) == (Status.IN_PROGRESS, True)


@pytest.mark.parametrize("button", ["retry", "abort"])
def test_button__only_by_post_with_a_token_in_ones_organization(
    login: Login, world: World, elsewhere: World, button: str
) -> None:
    before = list(Request.objects.order_by("pk").values())
    assert login().get(f"/admin/workforce/request/{world.refused.pk}/{button}/").status_code == 405
    assert press(login(enforce_csrf_checks=True), world.refused, button).status_code == 403
    assert press(login(at=elsewhere), world.refused, button).status_code == 404
    assert press(login("member"), world.refused, button).status_code == 404
    assert press(Client(), world.refused, button).status_code == 302
    assert list(Request.objects.order_by("pk").values()) == before


def test_page__everything_that_came_in_is_escaped(operator: Client, world: World) -> None:
    Request.objects.filter(pk=world.refused.pk).update(
        input={"body": EVIL, "half": "\ud800"},
        output={"said": EVIL},
        error={"code": EVIL, "message": EVIL + "\udfff"},
        metadata={EVIL: EVIL},
        action=EVIL,
        passname=EVIL,
    )
    shown = page(operator, world.refused)
    assert EVIL not in shown
    assert "&lt;script&gt;" in shown
    assert "\\ud800" in shown
    for path in (
        "/admin/workforce/request/",
        "/admin/",
        f"/admin/workforce/session/{world.session.pk}/change/",
    ):
        assert EVIL.encode() not in operator.get(path).content


def test_page__a_long_value_is_cut(operator: Client, world: World) -> None:
    Request.objects.filter(pk=world.refused.pk).update(output="x" * 200_000)
    shown = page(operator, world.refused)
    assert "more characters" in shown
    assert len(shown) < 200_000


def test_list__filters_and_searches(operator: Client, world: World) -> None:
    def found(query: str) -> list[Request]:
        answer = operator.get(f"/admin/workforce/request/?{query}")
        assert answer.status_code == 200
        return list(answer.context["cl"].result_list)

    everything = found("")
    assert len(everything) == 3
    assert found("status=failed&ended=24") == [world.refused]
    assert found("status=unfinished") == [world.waiting]
    assert found("action=onPosted") == [world.waiting]
    assert found("source=dispatch") == [world.waiting]
    assert found(f"session__id__exact={world.session.pk}") == everything
    assert found(f"q={world.refused.uid}") == [world.refused]
    assert found("q=acme.he") == everything
    assert found("q=elsewhere") == []
    assert found("p=1000") == []


@pytest.mark.parametrize("name", ["request", "session", "inventorymailbox", "seat", "actor", "key"])
def test_list__queries_do_not_grow(
    superuser: Client, world: World, elsewhere: World, name: str, django_assert_max_num_queries
) -> None:
    path = f"/admin/workforce/{name}/"
    superuser.get(path)
    with django_assert_max_num_queries(12):
        superuser.get(path)
    for _ in range(10):
        post(world.session, "One more.")
    with django_assert_max_num_queries(12) as queries:
        superuser.get(path)
    if name == "request":
        assert not [query["sql"] for query in queries.captured_queries if "COUNT(" in query["sql"].upper()]


def test_page__queries_do_not_grow(superuser: Client, world: World, django_assert_max_num_queries) -> None:
    for path in world.paths().values():
        with django_assert_max_num_queries(20):
            superuser.get(path)
    for _ in range(15):
        post(world.session, "One more.")
        post(world.session, "And a refusal.", author="stranger")
    for path in world.paths().values():
        with django_assert_max_num_queries(20):
            superuser.get(path)
