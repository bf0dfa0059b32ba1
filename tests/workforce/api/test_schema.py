"""The OpenAPI document: true, complete, and served without anybody else's help."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client, override_settings
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from tests.clients import Api
from tests.conftest import Mailbox, Player
from workforce.api.document import openapi_document
from workforce.api.schemas.parts import HEADERS, PROBLEMS, QUERY, REQUEST_HEADERS, security

ROOT = Path(__file__).resolve().parents[3]
SNAPSHOT = ROOT / "tests" / "snapshots" / "openapi.json"
METHODS = {"get", "post", "put", "patch", "delete"}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The document as the shipped settings make it, in a process of its own: warnings end it."""
    folder = tmp_path_factory.mktemp("openapi")
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [
            sys.executable,
            "manage.py",
            "spectacular",
            "--format",
            "openapi-json",
            "--fail-on-warn",
            "--validate",
        ],
        cwd=ROOT,
        env={**kept, "SECRET_KEY": "x", "WORKFORCE_AUTH": "keys", "DATABASE_URL": f"sqlite:///{folder}/none"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if method in METHODS
    ]


def test_document__is_openapi_3_1_and_without_warnings(generated: dict[str, Any]) -> None:
    assert generated["openapi"].startswith("3.1")
    assert len(operations(generated)) >= 43


def test_document__is_the_committed_one(generated: dict[str, Any]) -> None:
    text = json.dumps(generated, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        SNAPSHOT.parent.mkdir(exist_ok=True)
        SNAPSHOT.write_text(text)
    assert SNAPSHOT.exists() and SNAPSHOT.read_text() == text, (
        "the OpenAPI document changed. If that is meant, write the snapshot anew and commit it:\n"
        "    UPDATE_SNAPSHOTS=1 python -m pytest tests/workforce/api/test_schema.py"
    )


def test_document__has_only_valid_schemas(generated: dict[str, Any]) -> None:
    components = generated["components"]
    for schema in components["schemas"].values():
        Draft202012Validator.check_schema(schema)
    for _, _, operation in operations(generated):
        for parameter in operation.get("parameters", []):
            Draft202012Validator.check_schema(parameter.get("schema", {}))


def test_document__refers_only_to_what_it_has(generated: dict[str, Any]) -> None:
    for reference in set(re.findall(r'"\$ref": "([^"]+)"', json.dumps(generated))):
        place: Any = generated
        for part in reference.removeprefix("#/").split("/"):
            assert part in place, reference
            place = place[part]


def test_document__uses_every_component(generated: dict[str, Any]) -> None:
    used = set(re.findall(r"#/components/schemas/(\w+)", json.dumps(generated)))
    assert set(generated["components"]["schemas"]) == used


def test_operations__have_ids_of_their_own(generated: dict[str, Any]) -> None:
    ids = [operation["operationId"] for _, _, operation in operations(generated)]
    assert len(ids) == len(set(ids))


def test_bodies__are_closed_and_take_the_user(generated: dict[str, Any]) -> None:
    schemas = generated["components"]["schemas"]
    bodies = [
        operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rsplit("/")[-1]
        for _, method, operation in operations(generated)
        if method not in ("get", "delete") or "requestBody" in operation
    ]
    assert bodies
    for name in bodies:
        assert schemas[name]["additionalProperties"] is False, name
        assert "userId" in schemas[name]["properties"], name


def test_calls__declare_their_problems(generated: dict[str, Any]) -> None:
    for path, method, operation in operations(generated):
        if not path.startswith("/api/") or operation.get("security") == []:
            continue
        expected = {"400", "401", "403", "413", "503"}
        if method != "get":
            expected |= {"415", "429"}
        if "{" in path:
            expected |= {"404"}
        assert expected <= set(operation["responses"]), (method, path)


def test_problem_statuses__all_have_words(generated: dict[str, Any]) -> None:
    responses = generated["components"]["responses"]
    assert {name for name, _, _ in PROBLEMS.values()} == set(responses)
    for response in responses.values():
        assert list(response["content"]) == ["application/problem+json"]
        assert "X-Request-Id" in response["headers"]


def test_shared_parts__are_all_used(generated: dict[str, Any]) -> None:
    text = json.dumps(generated["paths"]) + json.dumps(generated["components"]["responses"])
    assert [name for name in HEADERS if f"#/components/headers/{name}" not in text] == []
    assert [name for name in REQUEST_HEADERS if f"#/components/parameters/{name}" not in text] == []
    assert [name for name in QUERY if f'"name": "{name}"' not in text] == []


def test_actions__have_their_own_inputs_and_outputs(generated: dict[str, Any]) -> None:
    schemas = generated["components"]["schemas"]
    post = generated["paths"]["/api/flows/mailbox/{session}/actions/post"]["post"]
    assert post["requestBody"]["required"] is True
    assert schemas["MailboxPostCall"]["properties"]["input"] == {
        "$ref": "#/components/schemas/MailboxPostInput"
    }
    assert schemas["MailboxPostInput"]["required"] == ["body"]
    assert schemas["MailboxPostInput"]["additionalProperties"] is False
    assert set(schemas["MailboxReadOutput"]["properties"]) == {
        "id", "description", "members", "boards", "transcript",
    }  # fmt: skip


def test_actions__internal_entries_appear_nowhere(generated: dict[str, Any]) -> None:
    text = json.dumps(generated)
    assert "onPosted" not in text
    assert "onMailboxPost" not in text


@pytest.mark.parametrize(("mode", "free"), [("open", True), ("keys", False)])
def test_security__needs_nothing_in_open_mode_only(mode: str, free: bool) -> None:
    with override_settings(WORKFORCE_AUTH=mode):
        assert ({} in security()) is free


@pytest.mark.parametrize("path", ["/api/schema", "/api/schema/"])
def test_schema__is_for_everybody(path: str) -> None:
    answer = Client().get(path, headers={"Accept": "application/xml"})
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/json"
    assert answer.json()["info"]["title"] == "Workforce"


@pytest.mark.parametrize("path", ["/api/docs", "/api/docs/"])
@pytest.mark.parametrize("accept", ["text/html", "application/json", "nonsense"])
def test_docs__load_nothing_from_outside(db: None, path: str, accept: str) -> None:
    answer = Client().get(path, headers={"Accept": accept})
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/html")
    page = answer.content.decode()
    assert not re.findall(r"https?://(?!testserver)[^\s\"']+", page)
    assets = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert len(assets) >= 3
    for asset in assets:
        assert asset.startswith("/static/"), asset
        served = Client().get(asset)
        served.close()
        assert served.status_code == 200, asset


@pytest.mark.parametrize("path", ["/api/schema", "/api/docs", "/healthz", "/readyz", "/metrics"])
def test_fixed_paths__answer_reading_only(db: None, path: str) -> None:
    client = Client(enforce_csrf_checks=True)
    for method in ("POST", "DELETE", "OPTIONS", "TRACE"):
        answer = client.generic(method, path)
        assert answer.status_code == 405, (method, path)
        assert answer["Allow"] == "GET, HEAD"
        assert answer["Content-Type"] == "application/problem+json"


def _outputs_of(document: dict[str, Any], name: str) -> Draft202012Validator:
    return Draft202012Validator(
        {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
    )


def test_answers__are_as_the_document_says(
    generated: dict[str, Any], owner: Player, mailbox: Mailbox
) -> None:
    mailbox("support.help", members=["support.lead"], description="Help.")
    owner.api.line("support.help", author="support.lead")
    made = owner.api.act("support.help", "post", {"body": "x", "author": "nobody"}).json()["request"]["id"]
    shapes = {
        "/api/flows": "FlowList",
        "/api/sessions": "SessionPage",
        "/api/sessions/support.help": "SessionAnswer",
        "/api/sessions/support.help/items": "ItemPage",
        "/api/sessions/support.help/requests?limit=1": "RequestPage",
        f"/api/requests/{made}": "WholeRequestAnswer",
        "/api/workers": "WorkerPage",
        "/api/inventory/seats": "InventorySeatPage",
    }
    for path, name in shapes.items():
        answer = owner.api.get(path)
        assert answer.status_code == 200, path
        _outputs_of(generated, name).validate(answer.json())
    read = owner.api.act("support.help", "read").json()
    _outputs_of(generated, "MailboxReadDone").validate(read)


def test_kinds__of_a_deployment_are_documented_too() -> None:
    openapi_document.cache_clear()
    assert "/api/flows/announcements/{session}/actions/announce" in openapi_document()["paths"]


def test_flows__list_schemas_that_stand_alone(owner: Player) -> None:
    for flow in Api(owner.key).get("/api/flows").json()["items"]:
        for action in flow["actions"]:
            Draft202012Validator.check_schema(action["inputSchema"])
            assert "#/components" not in json.dumps(action["inputSchema"])
            assert TypeAdapter(dict).validate_python(action["inputSchema"])["additionalProperties"] is False
