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
    for one in OPERATIONS:
        classes += [each for each in (one.request, one.response) if each is not None]
    names, definitions = models_json_schema(
        [(each, "validation") for each in classes], ref_template="#/components/schemas/{model}"
    )
    schemas = {each: names[each, "validation"] for each in classes}
    paths: dict[str, Any] = {}
    for one in OPERATIONS:
        responses = {"200": _content("The answer.", schemas[one.response])}
        if one.response in EVENTS:
            event = _event_schema(EVENTS[one.response])
            responses["200"]["content"]["text/event-stream"] = {"schema": event}
        responses |= {
            status: _content(text, schemas[ErrorResponse]) for status, text in ERRORS.items()
        }
        paths.setdefault(one.path, {})[one.method] = {
            "operationId": one.path.rpartition("/")[2],
            "summary": one.summary,
            "responses": responses,
        }
        if one.request is None:
            continue
        sent = schemas[one.request]
        if one.body != "application/json":
            paths[one.path][one.method]["parameters"] = _parameters(one.request)
            responses["200"]["content"][one.body] = {"schema": FILE}
            sent = FILE
        paths[one.path][one.method]["requestBody"] = {
            "required": True,
            "content": {one.body: {"schema": sent}},
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
