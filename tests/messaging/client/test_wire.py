"""What comes back when something is wrong between the client and the server."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.stories.server import ROOT

KEY = "wfk_0123456789ab_secret"


@dataclass
class Fake:
    """A server that answers as it is told, one answer after the other; the last one is repeated."""

    url: str = ""
    answers: list[tuple[int, bytes]] = field(default_factory=lambda: [(200, b"{}")])
    paths: list[str] = field(default_factory=list)


@pytest.fixture
def fake() -> Iterator[Fake]:
    made = Fake()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            made.paths.append(self.path)
            status, body = made.answers.pop(0) if len(made.answers) > 1 else made.answers[0]
            self.send_response(status)
            self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, *words: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        made.url = f"http://127.0.0.1:{server.server_port}"
        yield made
        server.shutdown()


def client(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The client as a process of its own, with nothing but these variables."""
    given = {"WORKFORCE_INBOX": "release", "WORKFORCE_KEY": KEY, **variables}
    return subprocess.run(
        [sys.executable, "-m", "messaging.client", *words],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **{name: value for name, value in given.items() if value}},
        capture_output=True,
        text=True,
        timeout=60,
    )


ACCESS = (
    b'{"organization": "acme", "inbox": "release", "passname": "coder", "kind": "agent", "scopes": ["read"],'
    b' "counts": {"open": 0, "pending": 0, "delivered": 0}, "totalMessages": 0}'
)


def test_unreachable__is_exit_code_three() -> None:
    done = client("access", WORKFORCE_URL="http://127.0.0.1:9")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        "unreachable: 127.0.0.1:9 was not reached: ConnectionRefusedError; the same command can be repeated safely\n"
    )


@pytest.mark.parametrize(
    "answer",
    [
        *[(500, b"{}"), (503, b"<html>"), (429, b"{}"), (200, b"<html>"), (200, b"[]"), (200, b"{}")],
        (200, ACCESS.replace(b"pending", b"other")),
        (200, ACCESS.replace(b'"scopes"', b'"scopes": 7, "others"')),
    ],
)
def test_answers_that_are_none__are_exit_code_three(fake: Fake, answer: tuple[int, bytes]) -> None:
    fake.answers = [answer]
    done = client("access", WORKFORCE_URL=fake.url)
    assert done.returncode == 3
    assert done.stderr.startswith("unreachable: ") and KEY not in done.stderr


@pytest.mark.parametrize("answer", [(302, b""), (404, b"<html>"), (401, b'{"title": "x"}')])
def test_refusals_of_others__are_exit_code_one_and_lead_nowhere(
    fake: Fake, answer: tuple[int, bytes]
) -> None:
    fake.answers = [answer]
    done = client("access", WORKFORCE_URL=f"{fake.url}/base/")
    assert (done.returncode, fake.paths) == (1, ["/base/api/inboxes/release/access/"])
    assert done.stderr.startswith(f"http-{answer[0]}: ")


@pytest.mark.parametrize(
    ("redirect", "code", "said"),
    [
        ("access > /dev/full", 3, "unwritable: the answer could not be written"),
        ("access --json >&-", 0, ""),
        ("access 2>&-", 0, ""),
        ("send --type info --topic a - <&-", 2, "usage: standard input is closed"),
    ],
)
def test_streams__that_are_full_or_closed_are_no_refusal(
    fake: Fake, redirect: str, code: int, said: str
) -> None:
    fake.answers = [(200, ACCESS)]
    done = subprocess.run(
        ["/bin/sh", "-c", f"{sys.executable} -m messaging.client {redirect}"],
        cwd=ROOT,
        env={"WORKFORCE_URL": fake.url, "WORKFORCE_INBOX": "release", "WORKFORCE_KEY": KEY},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == code
    assert done.stderr.startswith(said) and "Traceback" not in done.stderr


def test_patience__tries_again(fake: Fake) -> None:
    fake.answers = [(503, b""), (503, b""), (200, ACCESS)]
    done = client("access", "--patience", "20", WORKFORCE_URL=fake.url)
    assert (done.returncode, len(fake.paths)) == (0, 3)


@pytest.mark.parametrize("words", [["wait", "--seconds", "2"], ["pull", "--wait", "2"]])
def test_wait__calls_a_server_that_does_not_wait_once_a_second(fake: Fake, words: list[str]) -> None:
    fake.answers = [(200, ACCESS.replace(b"}, ", b'}, "items": [], '))]
    done = client(*words, WORKFORCE_URL=fake.url)
    assert done.returncode == 0, done.stderr
    assert 2 <= len(fake.paths) <= 4


def test_variables__come_from_files_too(fake: Fake, tmp_path: Path) -> None:
    fake.answers = [(200, ACCESS)]
    (tmp_path / "key").write_text(f"{KEY}\n")
    (tmp_path / "url").write_text(f"{fake.url}\n")
    done = client(
        "access",
        WORKFORCE_KEY="",
        WORKFORCE_KEY_FILE=str(tmp_path / "key"),
        WORKFORCE_URL_FILE=str(tmp_path / "url"),
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({}, "set WORKFORCE_URL"),
        ({"WORKFORCE_URL": "ftp://x"}, "must begin with http"),
        ({"WORKFORCE_URL": "http://"}, "name a host"),
        ({"WORKFORCE_URL": "http://a:b@x"}, "without a user"),
        ({"WORKFORCE_URL": "http://x:port"}, "port"),
        ({"WORKFORCE_URL": "http://x", "WORKFORCE_KEY": "wfk a"}, "no key"),
        ({"WORKFORCE_URL": "http://x", "WORKFORCE_KEY": ""}, "set WORKFORCE_KEY"),
        ({"WORKFORCE_URL": "http://x", "WORKFORCE_KEY_FILE": "/nowhere"}, "both"),
        (
            {"WORKFORCE_URL": "http://x", "WORKFORCE_KEY": "", "WORKFORCE_KEY_FILE": "/nowhere"},
            "cannot be read",
        ),
        ({"WORKFORCE_URL": "http://x", "WORKFORCE_INBOX": ""}, "set WORKFORCE_INBOX"),
        ({"WORKFORCE_URL": "http://x", "WORKFORCE_INBOX": "\udcff"}, "not UTF-8"),
        ({"WORKFORCE_URL": "http://x", "WORKFORCE_PASSNAME": "a\nb"}, "no passname"),
        ({"WORKFORCE_URL": "http://x", "WORKFORCE_PASSNAME": "é"}, "no passname"),
        ({"WORKFORCE_URL": "http://[::1"}, "no address"),
        ({"WORKFORCE_URL": "http://a..b"}, "no address"),
        ({"WORKFORCE_URL": f"http://{'a' * 64}.com"}, "no address"),
        ({"WORKFORCE_URL": "http://a b"}, "blanks"),
        ({"WORKFORCE_URL": "http://x/a b"}, "blanks"),
        ({"WORKFORCE_URL": "http://x/é"}, "must be written as %XX"),
    ],
)
def test_wrong_environment__is_exit_code_two(variables: dict[str, str], words: str) -> None:
    done = client("access", **variables)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show", "\udcff"], "not UTF-8"),
        (["search", "\udcff"], "not UTF-8"),
        (["send", "--type", "info", "--topic", "a", "--idempotency-key", "a\nb", "x"], "printable ASCII"),
        (
            ["send", "--type", "info", "--topic", "a", "--idempotency-key", "\N{SNOWMAN}", "x"],
            "printable ASCII",
        ),
    ],
)
def test_arguments__that_cannot_be_sent_are_exit_code_two(words: list[str], said: str) -> None:
    done = client(*words, WORKFORCE_URL="http://127.0.0.1:9")
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "secret" not in done.stderr


def test_key__is_taken_from_no_argument() -> None:
    assert client("access", "--key", KEY, WORKFORCE_URL="http://127.0.0.1:9").returncode == 2


def test_start__imports_nothing_but_the_standard_library() -> None:
    code = (
        "import sys, messaging.client.main; "
        "print(sorted({n.split('.')[0] for n in sys.modules} - set(sys.stdlib_module_names)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert "django" not in done.stdout and "pydantic" not in done.stdout and "'messaging'" in done.stdout


def test_reader_that_leaves__is_no_error(fake: Fake) -> None:
    fake.answers = [(200, ACCESS)]
    done = subprocess.run(
        f"{sys.executable} -m messaging.client access | true",
        shell=True,
        cwd=ROOT,
        env={"WORKFORCE_URL": fake.url, "WORKFORCE_INBOX": "release", "WORKFORCE_KEY": KEY},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stderr == ""
