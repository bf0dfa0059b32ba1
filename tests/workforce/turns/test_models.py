"""Models by name."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel

from workforce.turns.errors import ModelNotConfigured, UnknownModel
from workforce.turns.models import build_model, forget_model, register_model


@pytest.fixture(autouse=True)
def key(settings: Any) -> None:
    settings.WORKFORCE_MODEL, settings.WORKFORCE_MODEL_API_KEY = "", "sk-x"
    settings.WORKFORCE_MODEL_BASE_URL = ""


@pytest.mark.parametrize(
    ("name", "url", "system", "model", "base"),
    [
        ("openai:gpt-x", "", "openai", "gpt-x", "https://api.openai.com/v1/"),
        ("openai:llama:8b", "http://127.0.0.1:1/v1", "openai", "llama:8b", "http://127.0.0.1:1/v1/"),
        ("qwen3", "http://127.0.0.1:1/v1", "openai", "qwen3", "http://127.0.0.1:1/v1/"),
        ("anthropic:claude-x", "", "anthropic", "claude-x", "https://api.anthropic.com"),
        ("anthropic:claude-x", "http://127.0.0.1:1", "anthropic", "claude-x", "http://127.0.0.1:1"),
        ("offline:extract", "", "function", "offline:extract", None),
    ],
)
def test_build__reads_the_name(
    name: str,
    url: str,
    system: str,
    model: str,
    base: str | None,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for variable in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(variable, "http://elsewhere.example")
    settings.WORKFORCE_MODEL_BASE_URL = url
    built = build_model(name)
    assert (built.system, built.model_name, built.base_url) == (system, model, base)


@pytest.mark.parametrize(
    "name", ["gpt:x", "openai:", "anthropic: ", "offline:magic", "test:nobody", ":x", "ollama:x"]
)
def test_build__refuses_an_unknown_name_and_names_the_forms(name: str) -> None:
    with pytest.raises(UnknownModel) as refused:
        build_model(name)
    assert f"'{name.strip()}'" in refused.value.words
    for form in ("offline:extract", "openai:<name>", "anthropic:<name>", "WORKFORCE_MODEL_BASE_URL"):
        assert form in refused.value.words


@pytest.mark.parametrize(
    ("name", "set"), [("openai:x", "WORKFORCE_MODEL_BASE_URL"), ("anthropic:x", "_FILE")]
)
def test_build__says_what_key_to_set(name: str, set: str, settings: Any) -> None:
    settings.WORKFORCE_MODEL_API_KEY = ""
    with pytest.raises(ModelNotConfigured) as refused:
        build_model(name)
    assert "WORKFORCE_MODEL_API_KEY" in refused.value.words and set in refused.value.words


def test_build__needs_no_key_for_an_endpoint_of_one_s_own(settings: Any) -> None:
    settings.WORKFORCE_MODEL_API_KEY, settings.WORKFORCE_MODEL_BASE_URL = "", "http://127.0.0.1:1/v1"
    assert build_model("qwen3").model_name == "qwen3"


@pytest.mark.parametrize("name", [None, "", " "])
def test_build__takes_the_setting_s_model(name: str | None, settings: Any) -> None:
    with pytest.raises(ModelNotConfigured) as refused:
        build_model(name)
    assert "WORKFORCE_MODEL" in refused.value.words
    settings.WORKFORCE_MODEL = "offline:extract"
    assert isinstance(build_model(name), FunctionModel)


def test_register__whole_names_come_before_their_prefix() -> None:
    register_model("lab:", lambda name: TestModel(model_name=f"prefix of {name}"))
    register_model("lab:one", lambda name: TestModel(model_name=f"whole {name}"))
    try:
        assert build_model("lab:one").model_name == "whole lab:one"
        assert build_model("lab:two").model_name == "prefix of lab:two"
    finally:
        forget_model("lab:")
        forget_model("lab:one")


@pytest.mark.parametrize("name", ["", " ", "openai:x", "offline:extract", "anthropic:"])
def test_register__refuses_the_built_in_forms(name: str) -> None:
    with pytest.raises(ImproperlyConfigured):
        register_model(name, lambda name: TestModel())
