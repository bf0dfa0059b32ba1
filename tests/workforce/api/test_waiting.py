"""Calls that wait for a background request, on a real server."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from io import BytesIO
from typing import Any

import httpx
import pytest

from tests.conftest import Mailbox, Player
from tests.stories.server import Server, until
from tests.workforce.api.live import server
from tests.workforce.dispatch.queues import running
from workforce import clock
from workforce.models import Request, Session
from workforce.services.actors import freeze_actor, retire_actor
from workforce.services.keys import revoke_key
from workforce_site.wsgi import application as wsgi_application

assert server

pytestmark = pytest.mark.django_db(transaction=True)

LATER = "/api/flows/announcements/team.news/actions/later"


@pytest.fixture
def news(mailbox: Mailbox) -> Session:
    return mailbox("team.news", kind="announcements")


@pytest.fixture
def blocked(news: Session) -> Request:
    """Another worker runs a request of the session: whatever comes after it stays pending."""
    return running(news, lapsed=False)


@pytest.fixture
def client(server: Server, owner: Player) -> Iterator[httpx.Client]:
    with server.client(owner.key) as client:
        yield client


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(40) as pool:
        yield pool


def wait(client: httpx.Client, seconds: int = 20, path: str = LATER, **headers: str) -> httpx.Response:
    return client.post(path, json={}, headers={"Prefer": f"wait={seconds}", **headers})


def is_waiting(number: int = 1) -> bool:
    return Request.objects.filter(action="later", status="pending").count() == number


def test_wait__is_answered_as_soon_as_the_request_ends(client: httpx.Client, news: Session) -> None:
    lags = []
    for _ in range(5):  # the machine may be busy once, not five times
        answer = wait(client)
        answered = clock.to_ms(clock.now())
        assert (answer.status_code, answer.json()["output"]) == (200, {"ran": 1})
        assert answer.json()["status"] == "completed"
        assert answer.headers["Preference-Applied"] == "wait=20"
        assert not [name for name in answer.headers if name.lower().startswith("x-workforce")]
        ended = client.get(answer.headers["Location"]).json()["endedAt"]
        lags.append(answered - ended)
    assert min(lags) < 350, lags


def test_wait__a_refusal_is_the_answer(client: httpx.Client, news: Session) -> None:
    answer = wait(client, path=LATER.replace("later", "laterBoom"))
    assert (answer.status_code, answer.json()["code"]) == (409, "announcements-not-open")
    failed = client.get(answer.headers["Location"]).json()
    assert answer.json()["request"] == {"id": failed["id"]}
    defect = wait(client, path=LATER.replace("later", "laterDefect"))
    assert (defect.status_code, defect.json()["code"]) == (500, "internal-error")
    assert "secret" not in defect.text


def test_wait__ends_with_the_time(client: httpx.Client, blocked: Request) -> None:
    started = time.monotonic()
    answer = wait(client, 1)
    assert 0.9 < time.monotonic() - started < 5
    assert (answer.status_code, answer.json()["status"]) == (202, "pending")
    assert answer.headers["Preference-Applied"] == "wait=1"
    assert "output" not in answer.json()


def test_wait__not_at_all_without_being_asked(client: httpx.Client, blocked: Request) -> None:
    answer = client.post(LATER, json={}, headers={"Prefer": "return=representation"})
    assert (answer.status_code, answer.json()["status"]) == (202, "pending")
    assert "Preference-Applied" not in answer.headers


def test_wait__is_told_of_an_abort(client: httpx.Client, blocked: Request, pool: ThreadPoolExecutor) -> None:
    waiting = pool.submit(wait, client)
    until(is_waiting)
    uid = Request.objects.get(action="later", status="pending").uid
    assert client.post(f"/api/requests/{uid}/abort").status_code == 204
    answer = waiting.result(timeout=3)
    assert (answer.status_code, answer.json()["status"]) == (202, "aborted")


@pytest.mark.parametrize(
    ("end", "status", "code"),
    [("freeze", 403, "frozen"), ("revoke", 401, "key-revoked"), ("retire", 401, "key-revoked")],
)
def test_wait__a_key_that_stops_counting_is_refused_at_once(
    client: httpx.Client,
    owner: Player,
    blocked: Request,
    pool: ThreadPoolExecutor,
    end: str,
    status: int,
    code: str,
) -> None:
    waiting = pool.submit(wait, client)
    until(is_waiting)
    of: dict[str, Any] = {"organization": owner.organization}
    if end == "freeze":
        freeze_actor(passname="ada-desk", **of)
    elif end == "revoke":
        revoke_key(prefix=owner.key, **of)
    else:
        retire_actor(passname="ada-desk", **of)
    answer = waiting.result(timeout=3)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_wait__repeated_with_a_key_is_one_request(client: httpx.Client, news: Session) -> None:
    answers = [wait(client, **{"Idempotency-Key": "k"}) for _ in range(2)]
    assert answers[0].status_code == 200
    assert answers[0].content == answers[1].content
    assert Request.objects.filter(action="later").count() == 1


def test_wait__many_hold_no_thread(
    client: httpx.Client, news: Session, blocked: Request, pool: ThreadPoolExecutor
) -> None:
    """More calls wait than the server has threads, and it answers others as ever."""
    waiting: list[Future[httpx.Response]] = [pool.submit(wait, client, 25) for _ in range(32)]
    until(lambda: is_waiting(32))
    started = time.monotonic()
    for _ in range(5):
        assert client.get("/api/sessions").status_code == 200
    assert time.monotonic() - started < 5
    assert not any(call.done() for call in waiting)
    Request.objects.filter(pk=blocked.pk).update(status="completed")
    head = Request.objects.filter(status="pending").earliest("id")
    # The end of a head starts the next, an abort as well.
    assert client.post(f"/api/requests/{head.uid}/abort").status_code == 204
    ended = [call.result(timeout=30).json()["status"] for call in waiting]
    assert sorted(set(ended)) == ["aborted", "completed"]
    assert ended.count("aborted") == 1


def test_resume__a_client_cannot_set_it(client: httpx.Client, news: Session) -> None:
    for value in ("x", "00000000-0000-0000-0000-000000000000", ""):
        answer = client.post(LATER, json={}, headers={"X-Workforce-Resume": value})
        assert answer.status_code == 202
        strange = client.get("/api/sessions/team.news/items", headers={"X_Workforce_Resume": value})
        assert strange.status_code == 200


def call_wsgi(owner: Player, header: str, value: str) -> tuple[str, list[str]]:
    """The status and the names of the headers that a client of the WSGI application gets."""
    told: list[tuple[str, list[str]]] = []
    environ = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": LATER,
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "HTTP_AUTHORIZATION": f"Bearer {owner.key}",
        header: value,
        "wsgi.input": BytesIO(),
        "wsgi.url_scheme": "http",
    }
    list(
        wsgi_application(
            environ, lambda status, rows: told.append((status, [row[0].lower() for row in rows]))
        )
    )
    return told[0]


def test_resume__a_client_of_the_wsgi_application_cannot_set_it(owner: Player, news: Session) -> None:
    assert call_wsgi(owner, "HTTP_X_WORKFORCE_RESUME", "x")[0] == "202 Accepted"


def test_wait__a_client_of_the_wsgi_application_is_not_told_what_the_server_would_watch(
    owner: Player, news: Session
) -> None:
    _, headers = call_wsgi(owner, "HTTP_PREFER", "wait=5")
    assert "preference-applied" in headers or "location" in headers
    assert [name for name in headers if name.startswith("x-workforce-")] == []
