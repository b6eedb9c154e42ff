"""Attempts without the key: requests to the local API, and reading files. Needs the standard library only.

A hostile tool imports this module, and another account of the machine runs it: JSON arguments in, JSON outcomes out.
"""

import http.client
import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

TIMEOUT_SECONDS = 60


def send(method: str, url: str, headers: dict[str, str], body: str = "") -> int:
    """Send a request and return the status of the response."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=TIMEOUT_SECONDS)
    try:
        connection.request(method, url.partition(parts.netloc)[2] or "/", body or None, headers)
        return connection.getresponse().status
    finally:
        connection.close()


def read(path: str) -> str:
    """Read a file or list a folder in several ways, and return what could be read."""
    found = ""
    with suppress(OSError):
        found += Path(path).read_text(errors="replace")
    with suppress(OSError):
        found += " ".join(each.name for each in Path(path).iterdir())
    for command in (["cat", path], ["ls", "-a", f"{path}/."]):
        with suppress(OSError):
            found += subprocess.run(command, capture_output=True, text=True, errors="replace", check=False).stdout  # noqa: S603  (fixed programs)
    return found


def run(requests: list[Any], paths: list[str]) -> dict[str, Any]:
    """Return the status of each request, and what could be read of each path."""
    return {"statuses": [send(*request) for request in requests], "read": {path: read(path) for path in paths}}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(run(**json.loads(sys.argv[1]))))
