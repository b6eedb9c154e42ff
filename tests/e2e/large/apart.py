"""Serves Satchel in two processes: `python -m tests.e2e.large.apart PORT` has moto and the functions but no API.

It starts the API as a child with nothing but an environment: all of AWS is behind a loopback port for it. So what the
API holds in memory is its own, and none of the stand-in's.
"""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping

from local.emulator.http_gateway import serve
from local.emulator.serve import HOST, listen

START_SECONDS = 30.0


def run(port: int) -> int:
    """Put up all but the API, and serve until SIGTERM."""
    from local.emulator.system import System  # noqa: PLC0415  (the API's process must not have the stand-in)

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with System(port) as system:
        listings = system.list_tools()
        deadline = time.monotonic() + START_SECONDS
        for listing in listings.values():
            listing.result(max(0.0, deadline - time.monotonic()))
        api = subprocess.Popen([sys.executable, "-m", __spec__.name, str(port), "api"], env=_environment(os.environ))  # noqa: S603  (ourselves)
        try:
            return api.wait()
        finally:
            api.terminate()
            api.wait()


def run_api(port: int) -> int:
    """Serve the API until SIGTERM."""
    from satchel.bootstrap.api import build_app  # noqa: PLC0415  (it is configured by now)

    closing, began = threading.Event(), time.monotonic()

    def ready() -> None:
        seconds = time.monotonic() - began
        sys.stdout.write(f"ready on http://{HOST}:{port} after {seconds:.1f} s, process {os.getpid()}\n")
        sys.stdout.flush()

    asyncio.run(serve(build_app(closing.is_set), listen(port), closing, ready))
    return 0


def _environment(ours: Mapping[str, str]) -> dict[str, str]:
    """Return where all of AWS is: within the first process, boto3 is patched for everything but S3."""
    return {**ours, "AWS_ENDPOINT_URL": ours["AWS_ENDPOINT_URL_S3"]}


if __name__ == "__main__":
    sys.exit((run_api if sys.argv[2:] == ["api"] else run)(int(sys.argv[1])))
