"""``python -m local.openapi``: write the API's description to standard output, without a server (make types)."""

import json
import sys
from typing import Any, cast

from satchel.entrypoints.http.app import create_app
from satchel.entrypoints.http.identity import from_headers


def document() -> dict[str, Any]:
    """Return what ``GET /api/openapi.json`` answers."""
    app = create_app(cast("Any", None), from_headers, 1)  # no request comes, so no use case is needed
    return app.openapi()


if __name__ == "__main__":
    json.dump(document(), sys.stdout, indent=2)
