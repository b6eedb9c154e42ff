"""The operations that the OpenAPI document describes, known before there is a world to send them to."""

from typing import Any, NamedTuple

from satchel.bootstrap.aws_ports import AwsPorts
from satchel.entrypoints.http.app import create_app
from satchel.entrypoints.http.identity import from_headers
from satchel.settings import Settings
from satchel.use_cases import UseCases

Document = dict[str, Any]

DOCUMENT: Document = create_app(UseCases(ports=AwsPorts(Settings()), settings=Settings()), from_headers).openapi()


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
