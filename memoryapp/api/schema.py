"""The OpenAPI description: the names of operations, and the problems that every call may answer."""

from __future__ import annotations

import re
from typing import Any

from drf_spectacular.openapi import AutoSchema

from memoryapp.api.problems import PROBLEMS

PROBLEM_SHAPE = {
    "type": "object",
    "description": "RFC 9457",
    "required": ["type", "title", "status", "detail", "code", "errors"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string", "enum": sorted(PROBLEMS)},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "code", "detail"],
                "properties": {name: {"type": "string"} for name in ("field", "code", "detail")},
            },
        },
    },
}


class Described(AutoSchema):
    """Names an operation by method and address: `get_memories`, `post_memories_item_id_verb`."""

    def get_operation_id(self) -> str:
        words = re.findall(r"[a-z_]+", self.path.removeprefix("/api/v1"))
        return "_".join([self.method.lower(), *words])


def add_problems(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Every operation may answer a problem; every answer carries its request's id."""
    components = result.setdefault("components", {})
    components.setdefault("schemas", {})["Problem"] = PROBLEM_SHAPE
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    header = {"schema": {"type": "string"}, "description": "The id of this request, in the log and the audit trail"}
    for path in result.get("paths", {}).values():
        for operation in path.values():
            responses = operation["responses"]
            for status, text in (("4XX", "Refused; `code` says why."), ("5XX", "Failed; try again later.")):
                responses.setdefault(status, {"description": text, "content": content})
            for response in responses.values():
                response.setdefault("headers", {})["X-Request-Id"] = header
    return result
