"""Write the API's OpenAPI document to standard output, without a server: ``python -m local.emulator.openapi``."""

import json
import sys
from typing import Any

from satchel.bootstrap.aws_ports import AwsPorts
from satchel.entrypoints.http.app import create_app
from satchel.entrypoints.http.identity import identity_from_headers
from satchel.settings import Settings
from satchel.use_cases import UseCases


def openapi_document() -> dict[str, Any]:
    """Return the OpenAPI document that ``GET /api/openapi.json`` responds with."""
    app = create_app(UseCases(ports=AwsPorts(Settings()), settings=Settings()), identity_from_headers)
    return app.openapi()


if __name__ == "__main__":
    json.dump(openapi_document(), sys.stdout, indent=2)
