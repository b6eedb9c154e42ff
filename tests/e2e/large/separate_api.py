"""Serve Satchel in two processes: `python -m tests.e2e.large.separate_api PORT`.

The first process has moto and the functions. It starts the API as a child, which reaches AWS only through a loopback
port. So the memory of the child is the memory of the API alone.
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
from local.emulator.serve import listen


def run(port: int) -> int:
    """Start everything except the API, start the API as a child process, and serve until SIGTERM."""
    from local.emulator.system import System  # noqa: PLC0415  (the API process must not import moto)

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with System(port):
        api = subprocess.Popen([sys.executable, "-m", __spec__.name, str(port), "api"], env=_environment(os.environ))  # noqa: S603  (this module)
        try:
            return api.wait()
        finally:
            api.terminate()
            api.wait()


def run_api(port: int) -> int:
    """Serve the API until SIGTERM."""
    from satchel.bootstrap.api import build_app  # noqa: PLC0415  (reads the environment)

    closing, start = threading.Event(), time.monotonic()

    def ready() -> None:
        seconds = time.monotonic() - start
        sys.stdout.write(f"ready on http://127.0.0.1:{port} after {seconds:.1f} s, process {os.getpid()}\n")
        sys.stdout.flush()

    asyncio.run(serve(build_app(closing.is_set), listen(port), closing.set, ready))
    return 0


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Set the endpoint of all AWS services. In the first process, moto patches boto3 for all but S3."""
    return {**environ, "AWS_ENDPOINT_URL": environ["AWS_ENDPOINT_URL_S3"]}


if __name__ == "__main__":
    sys.exit((run_api if sys.argv[2:] == ["api"] else run)(int(sys.argv[1])))
