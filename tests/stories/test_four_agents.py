"""The guide docs/guides/four-agents-one-release.md, run as it stands, with a second server in the middle."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.stories.server import ROOT, Server

pytestmark = pytest.mark.story

GUIDE = ROOT / "docs" / "guides" / "four-agents-one-release.md"
#: The addresses that the guide writes for the first and the second server.
FIRST, SECOND = "http://127.0.0.1:8000", "http://127.0.0.1:8001"


def blocks() -> list[tuple[str, str]]:
    """The guide's commands, each with the heading that it stands under."""
    found = re.finditer(r"^## (.+?)$|^```bash\n(.*?)^```$", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    heading, commands = "", []
    for match in found:
        if match[1] is not None:
            heading = match[1]
        else:
            commands.append((heading, match[2]))
    return commands


@dataclass
class Shell:
    """Runs each block in a shell of its own, after the block that every shell begins with."""

    server: Server
    second: Server
    keys: Path
    preamble: str
    ran: list[tuple[str, str]] = field(default_factory=list)

    def run(self, heading: str, block: str) -> str:
        script = f"{self.preamble}\n{block}".replace(FIRST, self.server.url).replace(SECOND, self.second.url)
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=ROOT,
            env={**self.server.environment, "PATH": path, "KEYS": str(self.keys)},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, f"{heading}\n{done.stdout}\n{done.stderr}"
        self.ran.append((heading, done.stdout + done.stderr))
        return done.stdout + done.stderr


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    with Server(tmp_path / "first", "--no-worker") as server:
        second = Server(tmp_path / "second", "--no-worker", database_url=server.database_url)
        second.environment["SECRET_KEY"] = server.environment["SECRET_KEY"]
        with second:
            yield Shell(server, second, tmp_path / "keys", blocks()[0][1])


def test_guide__runs_as_it_stands(shell: Shell) -> None:
    for heading, block in blocks()[1:]:
        if heading == "The review":
            shell.server.kill()
        shell.run(heading, block)
    said = dict[str, list[str]]()
    for heading, text in shell.ran:
        said.setdefault(heading, []).append(text)
    assert "implementer: pending, never pulled" in said["The plan"][0]
    before, after = said["The implementer dies"]
    assert "1 open (1 new)" in before and "'release' from planner" in before
    assert "the importer reads CSV" in after and after.count("completed ") == 1
    assert "Ship v1.2" in said["The review"][0]
    refused, approved = said["The approval"]
    assert "needs-a-person: " in refused and "archived " in refused
    assert "Ship v1.2" in approved and "completed " in approved
    last = said["What is left"][0]
    assert "Yes. Release v1.2." in last and last.splitlines()[-4:] == ["nothing"] * 4
    for name in ("planner", "implementer", "reviewer", "approver"):
        counts = shell.run("counts", f"export WORKFORCE_URL={SECOND}\nas {name} access")
        assert "0 open (0 new), 5 messages in all" in counts
