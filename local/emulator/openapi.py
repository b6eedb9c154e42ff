"""``python -m local.emulator.openapi``: write the API's OpenAPI document to standard output, without a server."""

import json
import sys
from typing import Any

from satchel.entrypoints.http.app import create_app
from satchel.entrypoints.http.identity import from_headers
from satchel.settings import Settings
from satchel.use_cases import Ports, UseCases


def openapi_document() -> dict[str, Any]:
    """Return the response of ``GET /api/openapi.json``."""
    app = create_app(UseCases(ports=Ports(), settings=Settings()), from_headers)  # serves no request: needs no ports
    return app.openapi()


if __name__ == "__main__":
    json.dump(openapi_document(), sys.stdout, indent=2)
