"""Settings of turns: a bad value stops the start and names it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from workforce_site.checks import check_model_endpoint

ROOT = Path(__file__).parents[3]


def start(**environment: str) -> subprocess.CompletedProcess[str]:
    """The settings read in a process of their own."""
    shown = "s.WORKFORCE_MODEL, s.TURN_SECONDS, s.WORKFORCE_MODEL_API_KEY"
    code = f"from workforce_site import settings as s; print({shown})"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TURN_", "WORKFORCE_"))}
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**kept, "SECRET_KEY": "x", "DEBUG": "0", **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TURN_MODEL_CALLS", "0"),
        ("TURN_MODEL_CALLS", "many"),
        ("TURN_TOOL_CALLS", "-1"),
        ("TURN_SECONDS", "0"),
        ("TURN_SECONDS", "1e3"),
        ("TURN_SECONDS", "3601"),
    ],
)
def test_caps__refuse_to_start_with_a_bad_value(name: str, value: str) -> None:
    started = start(**{name: value})
    assert started.returncode != 0 and name in started.stderr


def test_model__is_offline_on_a_development_machine_and_none_otherwise(tmp_path: Path) -> None:
    assert start(DEBUG="1").stdout.split()[0] == "offline:extract"
    assert start().stdout.split()[0] == "300"
    key = tmp_path / "key"
    key.write_text("sk-from-a-file\n")
    assert start(WORKFORCE_MODEL_API_KEY_FILE=str(key)).stdout.split()[-1] == "sk-from-a-file"


@pytest.mark.parametrize(
    ("url", "model", "ids"),
    [
        ("", "", []),
        ("http://127.0.0.1:11434/v1", "qwen3", []),
        ("https://api.example/", "openai:x:8b", []),
        ("ftp://x", "", ["workforce.E004"]),
        ("127.0.0.1:11434/v1", "", ["workforce.E004"]),
        ("https://user:sk-secret@x/v1", "", ["workforce.E004"]),
        ("https://x/v1?key=sk-secret", "", ["workforce.E004"]),
        ("", "openai:", ["workforce.E005"]),
        ("", "two words", ["workforce.E005"]),
    ],
)
def test_check__names_what_cannot_be_read(url: str, model: str, ids: list[str], settings: Any) -> None:
    settings.WORKFORCE_MODEL_BASE_URL, settings.WORKFORCE_MODEL = url, model
    found = check_model_endpoint(None)
    assert [message.id for message in found] == ids
    assert "sk-secret" not in str(found)
