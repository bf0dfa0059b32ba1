"""Models by name: those that are built in, behind an endpoint, or registered. See docs/turns.md, "Choosing a model"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from workforce.turns.errors import ModelNotConfigured, UnknownModel

if TYPE_CHECKING:
    from httpx2 import AsyncClient
    from pydantic_ai.models import Model

OFFLINE = "offline:extract"
OPENAI_URL = "https://api.openai.com/v1"
FORMS = (
    f"'{OFFLINE}', 'openai:<name>', 'anthropic:<name>', or a bare name at the OpenAI-compatible endpoint of"
    " WORKFORCE_MODEL_BASE_URL"
)

#: Makes the model of a name that was registered; called with the whole name, once per turn.
Factory = Callable[[str], "Model"]

_FACTORIES: dict[str, Factory] = {}


@dataclass(frozen=True, slots=True)
class Text:
    """Something that the offline model may quote, and where it is from."""

    source: str
    body: str


@dataclass(frozen=True, slots=True)
class Sources:
    """What the offline model answers with: the question, and what it may quote (read when it is needed)."""

    question: str = ""
    read: Callable[[], Sequence[Text]] = field(default=tuple)


def register_model(prefix_or_name: str, factory: Factory) -> None:
    """Make models known under a name, or under every name of a prefix that ends in a colon; again replaces it.

    The whole name comes before its prefix. A scripted model: ``register_model("test:desk", lambda name: …)``.
    Raises ImproperlyConfigured for a name of a built-in form, which is never replaced.
    """
    if not prefix_or_name.strip() or prefix_or_name.startswith(("offline:", "openai:", "anthropic:")):
        raise ImproperlyConfigured(f"model name {prefix_or_name!r}: blank, or one of the built-in forms")
    _FACTORIES[prefix_or_name] = factory


def forget_model(prefix_or_name: str) -> None:
    """Undo a registration; nothing when there is none."""
    _FACTORIES.pop(prefix_or_name, None)


def model_name(name: str | None) -> str:
    """The name that counts: the worker's, else the setting's. Raises ModelNotConfigured when there is neither."""
    found = (name or "").strip() or settings.WORKFORCE_MODEL
    if not found:
        raise ModelNotConfigured(
            f"no model is configured: set WORKFORCE_MODEL, or name one as the worker's 'model' ({FORMS})"
        )
    return str(found)


def build_model(
    name: str | None, *, sources: Sources | None = None, client: AsyncClient | None = None
) -> Model:
    """The model of this name (the setting's when None), making its calls with ``client``, which the caller closes.

    Raises ModelNotConfigured, with what to set, and UnknownModel, with the forms that are known. Nothing is called.
    """
    found = model_name(name)
    try:
        return _build(found, sources or Sources(), client)
    except ImportError as error:
        raise ModelNotConfigured(
            f"the model '{found}' needs the extra 'agents' (pip install 'workforce[agents]'): {error.name} is missing"
        ) from None


def _build(name: str, sources: Sources, client: AsyncClient | None) -> Model:
    if name == OFFLINE:
        from workforce.turns.offline import offline_model

        return offline_model(sources)
    prefix, colon, rest = name.partition(":")
    factory = _FACTORIES.get(name) or _FACTORIES.get(f"{prefix}:" if colon else "")
    if factory is not None:
        return factory(name)
    if not colon:
        prefix, rest = "openai", name
    if prefix not in {"openai", "anthropic"} or not rest.strip():
        raise UnknownModel(f"there is no model '{name}'; known forms: {FORMS}")
    from workforce.turns.endpoints import anthropic_model, openai_model

    return (openai_model if prefix == "openai" else anthropic_model)(rest, client)
