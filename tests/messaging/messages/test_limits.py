"""The setting ``WORKER_MESSAGES``: what is wrong ends the start, naming it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured

from messaging.limits import Limits, answer_of, read_limits

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"hop_limit": 0}, "WORKER_MESSAGES['hop_limit']: 0 is not a whole number of at least 1"),
        ({"per_turn": -1}, "WORKER_MESSAGES['per_turn']: -1"),
        ({"per_turn": 1.5}, "WORKER_MESSAGES['per_turn']: 1.5"),
        ({"per_turn": "3"}, "WORKER_MESSAGES['per_turn']: '3'"),
        ({"per_turn": True}, "WORKER_MESSAGES['per_turn']: True"),
        ({"per_turn": None}, "WORKER_MESSAGES['per_turn']: None"),
        ({"hopLimit": 3}, "WORKER_MESSAGES: there is no 'hopLimit'; known: hop_limit, per_turn"),
        (None, "WORKER_MESSAGES: must be a mapping"),
        ([6, 3], "WORKER_MESSAGES: must be a mapping"),
    ],
)
def test_wrong_limits__end_the_start(value: Any, words: str, settings: Any) -> None:
    settings.WORKER_MESSAGES = value
    with pytest.raises(ImproperlyConfigured) as refused:
        apps.get_app_config("messaging").ready()
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("value", "limits"),
    [({}, Limits(6, 3)), ({"hop_limit": 1}, Limits(1, 3)), ({"hop_limit": 10, "per_turn": 5}, Limits(10, 5))],
)
def test_limits__that_are_left_out_are_the_usual_ones(value: dict[str, int], limits: Limits) -> None:
    assert read_limits(value) == limits


@pytest.mark.parametrize(("name", "value"), [("HOP_LIMIT", "0"), ("PER_TURN", "three"), ("PER_TURN", "1.5")])
def test_variables__that_are_wrong_end_the_start_and_are_named(name: str, value: str) -> None:
    variables = {**os.environ, "DEBUG": "1", f"WORKER_MESSAGES_{name}": value}
    variables.pop("DJANGO_SETTINGS_MODULE", None)
    command = [sys.executable, "-c", "import workforce_site.settings"]
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True)
    assert done.returncode == 1
    assert f"WORKER_MESSAGES_{name}: " in done.stderr.splitlines()[-1]


def test_answer__fits_a_message() -> None:
    assert answer_of(f"\n{'😀' * 8001} ") == "😀" * 8000
    assert answer_of(" \n") == ""
