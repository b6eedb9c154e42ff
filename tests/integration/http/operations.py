"""The operations that the OpenAPI document describes, known before there is a world to send them to."""

from typing import Any, NamedTuple, cast

from satchel.entrypoints.http.app import create_app
from satchel.entrypoints.http.identity import from_headers

Document = dict[str, Any]

DOCUMENT: Document = create_app(cast("Any", None), from_headers, 1).openapi()


class Operation(NamedTuple):
    method: str
    path: str
    said: Document

    @property
    def label(self) -> str:
        return f"{self.method.upper()} {self.path}"


OPERATIONS = [
    Operation(method, path, said) for path, methods in DOCUMENT["paths"].items() for method, said in methods.items()
]
