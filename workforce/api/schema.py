"""The OpenAPI document: built from what the views declare, and nothing that they do not do."""

from __future__ import annotations

import re
from typing import Any

from drf_spectacular.drainage import warn
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ComponentRegistry

from workforce.api.schemas.actions import action_paths
from workforce.api.schemas.components import Components
from workforce.api.schemas.fixed import fixed_paths
from workforce.api.schemas.operations import Answer, Operation
from workforce.api.schemas.parts import (
    CALLER_HEADERS,
    PROBLEM,
    SECURITY_SCHEMES,
    header_refs,
    parameter,
    problem_refs,
    problem_statuses,
    query_parameter,
    security,
    shared_headers,
    shared_parameters,
    shared_responses,
)

_PATH_PARAMETER = re.compile(r"\{(\w+)\}")

#: What stands in a path: (description, schema).
PATH_PARAMETERS: dict[str, tuple[str, dict[str, Any]]] = {
    "session": ("A session's id.", {"type": "string", "pattern": "^[A-Za-z0-9._~-]{1,200}$"}),
    "uid": ("A request's id.", {"type": "string", "format": "uuid"}),
    "worker": ("A worker's id.", {"type": "string", "pattern": "^[^/]{1,130}$"}),
    "board": ("A board's id, `<mailbox>.<name>`.", {"type": "string", "pattern": "^[^/]{1,200}$"}),
    "task": ("A row's id.", {"type": "string", "pattern": "^[^/]{1,64}$"}),
    "inbox": ("An inbox's slug.", {"type": "string", "pattern": "^[^/]+$"}),
    "message": ("A message's id.", {"type": "string", "pattern": "^[^/]+$"}),
    "passname": ("An actor's passname, in any case.", {"type": "string", "pattern": "^[^/]+$"}),
    "prefix": ("The visible part of a key.", {"type": "string", "pattern": "^[^/]+$"}),
    "type": ("The type of a message.", {"type": "string", "pattern": "^[^/]+$"}),
    "topic": ("A topic.", {"type": "string", "pattern": "^[^/]+$"}),
    "kind": ("The name of a kind.", {"type": "string", "pattern": "^[^/]+$"}),
    "action": ("The name of a public action of the kind.", {"type": "string", "pattern": "^[^/]+$"}),
}


class DeclaredSchema(AutoSchema):
    """Describes a view by its ``describes``; a view without one is a warning, which the tests refuse."""

    def get_operation(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: ComponentRegistry
    ) -> dict[str, Any] | None:
        view: Any = self.view
        described: Operation | None = getattr(view, "describes", {}).get(method.upper())
        if described is None:
            warn(f"{type(view).__name__} does not describe its {method.upper()}")
            return None
        names = sorted(view.query.get(method.upper(), ()))
        return operation_of(described, method.upper(), path, names, Components(registry), tag=_tag(path))


def operation_of(
    described: Operation, method: str, path: str, query: list[str], components: Components, *, tag: str
) -> dict[str, Any]:
    """The operation object of one method of one path."""
    made: dict[str, Any] = {"operationId": described.id, "summary": described.summary, "tags": [tag]}
    made["parameters"] = [
        *path_parameters(path),
        *(query_parameter(name, described.query.get(name)) for name in query),
        *_header_refs(described, method),
    ]
    if described.body is not None:
        made["requestBody"] = body_of_call(components.add_body(described.body), described.body)
    answers = {str(status): _answer(answer, components) for status, answer in described.answers.items()}
    problems = problem_refs(problem_statuses(method, path) | set(described.refuses))
    made["responses"] = {**answers, **problems}
    return made


def body_of_call(schema: dict[str, Any], model: Any) -> dict[str, Any]:
    """The request body; an empty body is an empty object, so it is required only when a field is."""
    required = any(field.is_required() for field in model.model_fields.values())
    return {"required": required, "content": {"application/json": {"schema": schema}}}


def path_parameters(path: str) -> list[dict[str, Any]]:
    """The parameters that stand in the path."""
    return [
        parameter(name, "path", *PATH_PARAMETERS[name], required=True)
        for name in _PATH_PARAMETER.findall(path)
    ]


def _header_refs(described: Operation, method: str) -> list[dict[str, str]]:
    names = [
        "userId",
        *CALLER_HEADERS,
        *(["Idempotency-Key"] if method == "POST" else []),
        *described.headers,
    ]
    return [{"$ref": f"#/components/parameters/{name}"} for name in names]


def _answer(answer: Answer, components: Components) -> dict[str, Any]:
    made: dict[str, Any] = {"description": answer.words, "headers": header_refs(answer.headers)}
    if answer.body is not None:
        made["content"] = {answer.media: {"schema": components.add_type(answer.body, answer=True)}}
    return made


def _tag(path: str) -> str:
    return path.removeprefix("/api/").split("/", 1)[0]


def complete_document(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """The generated document with what no REST view declares: shared components, actions, fixed paths."""
    components = Components(generator.registry)
    components.add("Problem", PROBLEM)
    paths = {**result["paths"], **action_paths(result["paths"], components), **fixed_paths()}
    result["paths"] = dict(sorted(paths.items()))
    result["components"] = {
        **generator.registry.build({}),
        "parameters": shared_parameters(),
        "headers": shared_headers(),
        "responses": shared_responses(),
        "securitySchemes": SECURITY_SCHEMES,
    }
    result["security"] = security()
    return result
