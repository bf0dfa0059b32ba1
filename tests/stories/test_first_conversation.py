"""The first conversation: a tree is loaded, two clients meet in a mailbox, and the server dies under them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.stories.server import Follower, Server, until

pytestmark = pytest.mark.story

BOX = "engineering.incidents"

#: Two actors of ada, one of another user, one of another organization; printed as name and key.
CAST = """
import json
from workforce.services.actors import add_actor
from workforce.services.organizations import create_organization, ensure_user
here, far = create_organization(slug="default"), create_organization(slug="umbrella")
cast = {"desk": ("ada", here), "bot": ("ada", here), "bob": ("bob", here), "eve": ("eve", far)}
print(json.dumps({
    name: add_actor(organization=organization, passname=f"{user}-{name}", user=ensure_user(username=user),
                    grants=["flows:read", "flows:write"])[2]
    for name, (user, organization) in cast.items()
}))
"""


LAPSE = """
from workforce.models import Request
Request.objects.filter(status="in_progress").update(lease_until="2000-01-01T00:00:00Z")
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("first")) as running:
        yield running


@pytest.fixture(scope="module")
def keys(server: Server) -> dict[str, str]:
    """The keys of the cast, in an organization with the sample tree, loaded for ada."""
    found: dict[str, str] = json.loads(server.manage("shell", "-v0", "-c", CAST))
    server.manage("load_workforce", "--user", "ada")
    return found


def post(client: httpx.Client, body: str) -> httpx.Response:
    return client.post(
        f"/api/flows/mailbox/{BOX}/actions/post",
        json={"input": {"body": body}},
        headers={"Prefer": "return=representation", "Idempotency-Key": body},
    )


def lines_of(client: httpx.Client) -> list[dict[str, Any]]:
    """All lines, page by page."""
    found: list[dict[str, Any]] = []
    query: dict[str, Any] = {"component": "mailbox-post", "limit": 30}
    while True:
        page = client.get(f"/api/sessions/{BOX}/items", params=query).json()
        found += [item["data"] for item in page["items"]]
        if "nextCursor" not in page:
            return found
        query["cursor"] = page["nextCursor"]


def unfinished(client: httpx.Client) -> list[str]:
    found = []
    for status in ("pending", "in_progress"):
        page = client.get(f"/api/sessions/{BOX}/requests", params={"status": status, "limit": 200}).json()
        found += [entry["id"] for entry in page["items"]]
    return found


class Writer(threading.Thread):
    """Posts one line after the other until the server is gone; remembers what was confirmed."""

    def __init__(self, server: Server, name: str, key: str) -> None:
        super().__init__(daemon=True)
        self.client, self.label = server.client(key), name
        self.confirmed: list[dict[str, Any]] = []
        self.refused: list[str] = []

    def run(self) -> None:
        number = 0
        try:
            while True:
                number += 1
                answer = post(self.client, f"{self.label} {number}")
                if answer.status_code == 200:
                    self.confirmed.append(answer.json()["output"])
                else:
                    self.refused.append(answer.text)
        except httpx.TransportError:
            pass
        finally:
            self.client.close()


def test_story__two_meet_and_no_confirmed_line_is_lost(server: Server, keys: dict[str, str]) -> None:
    writers = [Writer(server, name, keys[name]) for name in ("desk", "bot")]
    for writer in writers:
        writer.start()
    until(lambda: all(len(writer.confirmed) >= 8 for writer in writers), what="sixteen posts")
    with server.client(keys["desk"]) as client:
        shown = client.post(
            f"/api/flows/mailbox/{BOX}/actions/read", json={}, headers={"Prefer": "return=representation"}
        ).json()["output"]
    assert shown["members"] == ["engineering.lead", "engineering.backend", "engineering.analyst"]
    assert {line["passname"] for line in shown["transcript"]} == {"ada-desk", "ada-bot"}
    server.kill()
    for writer in writers:
        writer.join(timeout=30)
        assert writer.refused == []
    confirmed = [line for writer in writers for line in writer.confirmed]
    # A run that died holds its request for a minute: that minute passes here.
    server.manage("shell", "-v0", "-c", LAPSE)
    server.start()

    with server.client(keys["bot"]) as client:
        lines = lines_of(client)
        assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
        assert len({line["body"] for line in lines}) == len(lines)
        stored = {line["id"]: line for line in lines}
        assert all(stored[line["id"]] == line for line in confirmed)
        # Each writer's last call may have been written and not been answered; repeating it settles that.
        assert len(confirmed) <= len(lines) <= len(confirmed) + len(writers)
        for writer in writers:
            again = post(client, f"{writer.label} {len(writer.confirmed) + 1}")
            assert again.status_code == 200
        assert len(lines_of(client)) == len(confirmed) + len(writers)

        until(lambda: not unfinished(client), what="the end of every fan-out")
        told = client.get(
            f"/api/sessions/{BOX}/requests", params={"status": "completed", "limit": 200}
        ).json()["items"]
        assert sum(entry["action"] == "onPosted" for entry in told) == len(confirmed) + len(writers)
        children = client.get(f"/api/sessions/{BOX}/children").json()["items"]
        assert sorted(child["seatId"] for child in children) == sorted(shown["members"])
        for child in children:
            until(
                lambda: len(heard(client, child["id"])) >= len(confirmed) + len(writers),  # noqa: B023
                what="every wake",
            )
            bodies = heard(client, child["id"])
            assert sorted(bodies) == sorted(f"ada in {BOX}: {line['body']}" for line in lines_of(client))
    assert_wall(server, keys)


def heard(client: httpx.Client, address: str) -> list[str]:
    """What a seat was told in its conversation for the mailbox."""
    page = client.get(f"/api/sessions/{address}/items", params={"types": "message", "limit": 200}).json()[
        "items"
    ]
    return [item["data"]["text"] for item in page if item["data"].get("role") == "user"]


def assert_wall(server: Server, keys: dict[str, str]) -> None:
    """To another user and another organization there is no such mailbox."""
    with server.client(keys["desk"]) as client:
        request = client.get(f"/api/sessions/{BOX}/requests").json()["items"][0]["id"]
    paths = [f"/api/sessions/{BOX}{part}" for part in ("", "/items", "/requests", "/children", "/stream")]
    for name in ("bob", "eve"):
        with server.client(keys[name]) as client:
            for path in [*paths, f"/api/requests/{request}"]:
                assert client.get(path).status_code == 404, path
            for verb in ("abort", "retry"):
                assert client.post(f"/api/requests/{request}/{verb}").status_code == 404
            assert client.delete(paths[0]).status_code == 404
            assert client.patch(paths[0], json={"title": "x"}).status_code == 404
            assert client.get("/api/sessions?include=dispatch-runs").json() == {"items": []}
    with server.client(keys["bob"]) as client:
        assert post(client, "x").json()["code"] == "session-not-found"


def test_story__a_stop_is_clean_with_an_open_stream(server: Server, keys: dict[str, str]) -> None:
    stream = Follower(server, f"/api/sessions/{BOX}/stream", Authorization=f"Bearer {keys['desk']}")
    with server.client(keys["desk"]) as client:
        assert post(client, "last words").status_code == 200
    until(lambda: stream.items() and stream.items()[-1]["data"].get("body") == "last words")
    code, seconds = server.terminate()
    assert stream.ended.wait(timeout=5)
    stream.close()
    assert (code, seconds < 8) == (0, True), (code, seconds, server.log.read_text())
    assert "Traceback" not in server.log.read_text()
    server.start()
    with server.client(keys["bot"]) as client:
        assert lines_of(client)[-1]["body"] == "last words"
        until(lambda: not unfinished(client))
