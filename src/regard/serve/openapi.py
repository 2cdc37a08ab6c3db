"""The OpenAPI schema, made from the same classes that check the requests."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NotRequired, TypeAlias, TypedDict

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from regard import __version__
from regard.serve.corrections import CorrectionsRequest, StoredCorrection
from regard.serve.schemas import (
    AlignRequest,
    AlignResponse,
    DocumentRequest,
    DocumentResponse,
    ErrorResponse,
    ExplainRequest,
    ExplainResponse,
    InterveneRequest,
    ModelsResponse,
    ReloadRequest,
    ReloadResponse,
    TranslateRequest,
    TranslateResponse,
)

_Schema: TypeAlias = Mapping[str, object]
"""A JSON Schema."""


class _Media(TypedDict):
    schema: _Schema


class _Response(TypedDict):
    description: str
    content: dict[str, _Media]


class _RequestBody(TypedDict):
    required: bool
    content: dict[str, _Media]


_Parameter = TypedDict(
    "_Parameter", {"name": str, "in": str, "description": object, "schema": _Schema}
)


class _OperationObject(TypedDict):
    operationId: str
    summary: str
    responses: dict[str, _Response]
    parameters: NotRequired[list[_Parameter]]
    requestBody: NotRequired[_RequestBody]


class OpenApi(TypedDict):
    """An OpenAPI document. `paths`: the operations of each address by their methods."""

    openapi: str
    info: dict[str, str]
    paths: dict[str, dict[str, _OperationObject]]
    components: dict[str, object]
    security: NotRequired[list[dict[str, list[str]]]]


@dataclass(frozen=True, slots=True)
class _Operation:
    method: str
    path: str
    summary: str
    request: type[BaseModel] | None
    response: type[BaseModel]
    body: str = "application/json"  # other bodies have the fields of `request` in the address
    answer: str = "application/json"


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
    _Operation(
        "post",
        "/v1/intervene",
        "Explain a translation with changed attention",
        InterveneRequest,
        ExplainResponse,
    ),
    _Operation("get", "/v1/models", "List the models", None, ModelsResponse),
    _Operation("post", "/v1/reload", "Reload changed models", ReloadRequest, ReloadResponse),
    _Operation(
        "get",
        "/v1/corrections",
        "Export corrections as lines of JSON",
        CorrectionsRequest,
        StoredCorrection,
        answer="application/jsonl",
    ),
)

EVENTS: dict[type[BaseModel], tuple[str, ...]] = {
    TranslateResponse: ("translation", "done", "error"),
    DocumentResponse: ("progress", "done", "error"),
}
FILE: _Schema = {"type": "string", "format": "binary"}

ERRORS = {
    "401": "The key is missing or wrong.",
    "403": "The key may not do this.",
    "404": "There is no such model, or the server has no store.",
    "408": "The request did not arrive in time.",
    "413": "A limit of size is exceeded.",
    "415": "The body is not JSON.",
    "422": "The request is invalid.",
    "429": "The key has used its budget; see Retry-After.",
    "503": "The server is busy; see Retry-After.",
    "504": "The deadline has passed.",
}


@functools.cache
def openapi_schema(*, keys: bool) -> OpenApi:
    """Return the schema. `keys`: whether requests need a key."""
    classes: list[type[BaseModel]] = [ErrorResponse]
    for operation in OPERATIONS:
        classes += [model for model in (operation.request, operation.response) if model is not None]
    names, definitions = models_json_schema(
        [(model, "validation") for model in classes], ref_template="#/components/schemas/{model}"
    )
    schemas = {model: names[model, "validation"] for model in classes}
    paths: dict[str, dict[str, _OperationObject]] = {}
    for operation in OPERATIONS:
        answer = _content("The answer.", schemas[operation.response], operation.answer)
        responses = {"200": answer}
        if operation.response in EVENTS:
            event = _event_schema(EVENTS[operation.response])
            responses["200"]["content"]["text/event-stream"] = {"schema": event}
        responses |= {
            status: _content(text, schemas[ErrorResponse]) for status, text in ERRORS.items()
        }
        described: _OperationObject = {
            "operationId": operation.path.rpartition("/")[2],
            "summary": operation.summary,
            "responses": responses,
        }
        paths.setdefault(operation.path, {})[operation.method] = described
        if operation.request is None:
            continue
        if operation.method == "get":
            described["parameters"] = _parameters(operation.request)
            continue
        sent: _Schema = schemas[operation.request]
        if operation.body != "application/json":
            described["parameters"] = _parameters(operation.request)
            responses["200"]["content"][operation.body] = {"schema": FILE}
            sent = FILE
        described["requestBody"] = {
            "required": sent is FILE or _needs_fields(operation.request),
            "content": {operation.body: {"schema": sent}},
        }
    components: dict[str, object] = {"schemas": definitions["$defs"]}
    schema: OpenApi = {
        "openapi": "3.1.0",
        "info": {"title": "regard", "version": __version__},
        "paths": paths,
        "components": components,
    }
    if keys:
        components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        schema["security"] = [{"key": []}]
    return schema


def _needs_fields(request: type[BaseModel]) -> bool:
    return any(field.is_required() for field in request.model_fields.values())


def _event_schema(names: tuple[str, ...]) -> _Schema:
    return {
        "type": "object",
        "description": "An event of a stream; `data` is JSON.",
        "properties": {"event": {"enum": list(names)}, "data": {"type": "string"}},
        "required": ["event", "data"],
    }


def _parameters(request: type[BaseModel]) -> list[_Parameter]:
    """The fields of a request as parameters of the address."""
    fields: dict[str, dict[str, object]] = request.model_json_schema()["properties"]
    return [
        {
            "name": name,
            "in": "query",
            "description": schema.pop("description", ""),
            "schema": schema,
        }
        for name, schema in fields.items()
    ]


def _content(description: str, schema: _Schema, media_type: str = "application/json") -> _Response:
    return {"description": description, "content": {media_type: {"schema": schema}}}
