"""JSON schemas of types, as components that operations refer to."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from drf_spectacular.plumbing import ComponentIdentity, ComponentRegistry, ResolvedComponent
from pydantic import BaseModel, TypeAdapter

from workforce.api.schemas.parts import USER_ID

REF = "#/components/schemas/{model}"
USER_WORDS = "The caller's name: who calls in open mode, else the caller's own or left out."


def json_schema_of(type_: Any, *, answer: bool = False, ref: str = REF) -> dict[str, Any]:
    """The JSON schema of an input (or an answer), by the names on the wire; inner types under ``$defs``."""
    made: dict[str, Any] = TypeAdapter(type_).json_schema(
        by_alias=True, ref_template=ref, mode="serialization" if answer else "validation"
    )
    return _portable(made)


def _portable(value: Any) -> Any:
    r"""The schema without the titles that only repeat names, and with patterns as JSON Schema has them.

    ``$`` there is what ``\z`` is here. A property called ``title`` or ``pattern`` has a schema, no text.
    """
    if isinstance(value, list):
        return [_portable(part) for part in value]
    if not isinstance(value, dict):
        return value
    made = {key: _portable(part) for key, part in value.items()}
    if isinstance(made.get("title"), str):
        del made["title"]
    if isinstance(made.get("pattern"), str):
        made["pattern"] = made["pattern"].removesuffix(r"\z") + (
            "$" if made["pattern"].endswith(r"\z") else ""
        )
    return made


class Components:
    """The components of the document under construction, in its generator's registry."""

    def __init__(self, registry: ComponentRegistry) -> None:
        self._registry = registry

    def add(self, name: str, schema: dict[str, Any]) -> dict[str, str]:
        """Keep a schema under a name; the reference to it. Two schemas of one name stop the start."""
        identity = ComponentIdentity(name)  # type: ignore[no-untyped-call]
        made = ResolvedComponent(name, ResolvedComponent.SCHEMA, schema, identity)  # type: ignore[no-untyped-call]
        if made in self._registry and self._registry[made].schema != schema:
            raise ImproperlyConfigured(f"two schemas of the OpenAPI document are named {name!r}; rename one")
        self._registry.register_on_missing(made)
        return {"$ref": REF.format(model=name)}

    def add_type(self, type_: Any, *, answer: bool = False, name: str = "") -> dict[str, Any]:
        """Keep the schema of a type under its name; a bare type (``str``) is described in place."""
        schema = self.without_defs(json_schema_of(type_, answer=answer))
        if not name and isinstance(type_, type) and schema.get("type") == "object":
            name = type_.__name__
        return self.add(name, schema) if name else schema

    def add_body(
        self,
        model: type[BaseModel],
        *,
        name: str = "",
        input: dict[str, Any] | None = None,
        needed: bool = False,
    ) -> dict[str, str]:
        """Keep the schema of a call's body: the model's, and ``userId``.

        ``input`` replaces the property of that name, which is required when it is ``needed``.
        """
        schema = self.without_defs(json_schema_of(model))
        schema.setdefault("properties", {})["userId"] = {
            "anyOf": [USER_ID, {"type": "null"}],
            "default": None,
            "description": USER_WORDS,
        }
        if input is not None:
            schema["properties"]["input"] = input
        if needed:
            schema["required"] = ["input"]
        return self.add(name or model.__name__, schema)

    def without_defs(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The schema with its inner types kept as components of their own."""
        for name, part in schema.pop("$defs", {}).items():
            self.add(name, part)
        return schema
