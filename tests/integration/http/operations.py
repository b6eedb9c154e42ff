"""The operations of the OpenAPI document, known when pytest collects the tests."""

from typing import Any, NamedTuple

from satchel.bootstrap.aws_ports import AwsPorts
from satchel.entrypoints.http.app import create_app
from satchel.entrypoints.http.identity import identity_from_headers
from satchel.settings import Settings
from satchel.use_cases import UseCases

Document = dict[str, Any]

DOCUMENT: Document = create_app(
    UseCases(ports=AwsPorts(Settings()), settings=Settings()), identity_from_headers
).openapi()


class Operation(NamedTuple):
    method: str
    path: str
    spec: Document

    @property
    def label(self) -> str:
        return f"{self.method.upper()} {self.path}"


OPERATIONS = [
    Operation(method, path, spec) for path, methods in DOCUMENT["paths"].items() for method, spec in methods.items()
]
