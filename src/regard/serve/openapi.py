"""The OpenAPI schema, made from the same classes that check the requests."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from regard import __version__
from regard.serve.schemas import (
    AlignRequest,
    AlignResponse,
    DocumentRequest,
    DocumentResponse,
    ErrorResponse,
    ExplainRequest,
    ExplainResponse,
    ModelsResponse,
    ReloadRequest,
    ReloadResponse,
    TranslateRequest,
    TranslateResponse,
)


@dataclass(frozen=True, slots=True)
class _Operation:
    method: str
    path: str
    summary: str
    request: type[BaseModel] | None
    response: type[BaseModel]
    body: str = "application/json"  # other bodies have the fields of `request` in the address


OPERATIONS = (
    _Operation("post", "/v1/translate", "Translate texts", TranslateRequest, TranslateResponse),
    _Operation(
        "post",
        "/v1/documents",
        "Translate a document",
        DocumentRequest,
        DocumentResponse,
        "application/octet-stream",
    ),
    _Operation("post", "/v1/align", "Align the words of pairs", AlignRequest, AlignResponse),
    _Operation("post", "/v1/explain", "Explain a translation", ExplainRequest, ExplainResponse),
    _Operation("get", "/v1/models", "List the models", None, ModelsResponse),
    _Operation("post", "/v1/reload", "Reload changed models", ReloadRequest, ReloadResponse),
)

EVENTS: dict[type[BaseModel], tuple[str, ...]] = {
    TranslateResponse: ("translation", "done", "error"),
    DocumentResponse: ("progress", "done", "error"),
}
FILE = {"type": "string", "format": "binary"}

ERRORS = {
    "401": "The key is missing or wrong.",
    "403": "The key may not do this.",
    "404": "There is no such model.",
    "408": "The request did not arrive in time.",
    "413": "A limit of size is exceeded.",
    "415": "The body is not JSON.",
    "422": "The request is invalid.",
    "429": "The key has used its budget; see Retry-After.",
    "503": "The server is busy; see Retry-After.",
    "504": "The deadline has passed.",
}


@functools.cache
def openapi_schema(*, keys: bool) -> dict[str, Any]:
    """Return the schema. `keys`: whether requests need a key."""
    classes: list[type[BaseModel]] = [ErrorResponse]
    for operation in OPERATIONS:
        classes += [model for model in (operation.request, operation.response) if model is not None]
    names, definitions = models_json_schema(
        [(model, "validation") for model in classes], ref_template="#/components/schemas/{model}"
    )
    schemas = {model: names[model, "validation"] for model in classes}
    paths: dict[str, Any] = {}
    for operation in OPERATIONS:
        responses = {"200": _content("The answer.", schemas[operation.response])}
        if operation.response in EVENTS:
            event = _event_schema(EVENTS[operation.response])
            responses["200"]["content"]["text/event-stream"] = {"schema": event}
        responses |= {
            status: _content(text, schemas[ErrorResponse]) for status, text in ERRORS.items()
        }
        paths.setdefault(operation.path, {})[operation.method] = {
            "operationId": operation.path.rpartition("/")[2],
            "summary": operation.summary,
            "responses": responses,
        }
        if operation.request is None:
            continue
        sent = schemas[operation.request]
        if operation.body != "application/json":
            paths[operation.path][operation.method]["parameters"] = _parameters(operation.request)
            responses["200"]["content"][operation.body] = {"schema": FILE}
            sent = FILE
        paths[operation.path][operation.method]["requestBody"] = {
            "required": True,
            "content": {operation.body: {"schema": sent}},
        }
    schema: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "regard", "version": __version__},
        "paths": paths,
        "components": {"schemas": definitions["$defs"]},
    }
    if keys:
        schema["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        schema["security"] = [{"key": []}]
    return schema


def _event_schema(names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "type": "object",
        "description": "An event of a stream; `data` is JSON.",
        "properties": {"event": {"enum": list(names)}, "data": {"type": "string"}},
        "required": ["event", "data"],
    }


def _parameters(request: type[BaseModel]) -> list[dict[str, Any]]:
    """The fields of a request as parameters of the address."""
    fields: dict[str, dict[str, Any]] = request.model_json_schema()["properties"]
    return [
        {
            "name": name,
            "in": "query",
            "description": schema.pop("description", ""),
            "schema": schema,
        }
        for name, schema in fields.items()
    ]


def _content(description: str, schema: Any) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}
