"""One documented path per public action, with its own input and output."""

from __future__ import annotations

import copy
from typing import Any

from workforce.api.bodies import ActionBody
from workforce.api.schemas.answers import ActionDone
from workforce.api.schemas.components import Components, json_schema_of
from workforce.kinds import Action, Kind, registered_kinds

GENERIC = "/api/flows/{kind}/{session}/actions/{action}"


def action_paths(paths: dict[str, Any], components: Components) -> dict[str, Any]:
    """A path for every public action that all sessions of a registered kind have."""
    generic = paths[GENERIC]["post"]
    return {
        GENERIC.replace("{kind}", kind.name).replace("{action}", action.name): {
            "post": _operation(generic, kind, action, components)
        }
        for kind in registered_kinds().values()
        for action in kind.actions.values()
        if action.public
    }


def _operation(generic: dict[str, Any], kind: Kind, action: Action, components: Components) -> dict[str, Any]:
    made = copy.deepcopy(generic)
    name = _camel(kind.name) + _camel(action.name)
    made["operationId"] = name[:1].lower() + name[1:]
    made["summary"] = action.description or f"Run '{action.name}'."
    made["tags"] = [f"flow {kind.name}"]
    made["parameters"] = [part for part in made["parameters"] if part.get("name") not in {"kind", "action"}]
    input_ref = components.add_type(action.input, name=f"{name}Input")
    made["requestBody"] = {
        "required": _needs_input(action),
        "content": {"application/json": {"schema": _body(name, input_ref, action, components)}},
    }
    if action.output is not None:
        answer = made["responses"]["200"]["content"]["application/json"]
        answer["schema"] = _done(name, action, components)
    return made


def _needs_input(action: Action) -> bool:
    return any(field.is_required() for field in action.input.model_fields.values())


def _body(name: str, input_ref: dict[str, Any], action: Action, components: Components) -> dict[str, Any]:
    return components.add_body(ActionBody, name=f"{name}Call", input=input_ref, needed=_needs_input(action))


def _done(name: str, action: Action, components: Components) -> dict[str, Any]:
    schema = components.without_defs(json_schema_of(ActionDone, answer=True))
    schema["properties"]["output"] = components.add_type(action.output, answer=True, name=f"{name}Output")
    return components.add(f"{name}Done", schema)


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("-"))
