"""`satchel bridge`: serve the bridge until Ctrl-C or SIGTERM."""

import os
import signal
from collections.abc import Sequence
from contextlib import suppress

import typer
import uvicorn

from local.bridge.app import create_app
from local.bridge.caller import BridgeSettings
from local.emulator.serve import listen


def run(host: str, port: int, settings: BridgeSettings, origins: Sequence[str]) -> int:
    """Serve the bridge. Return the exit code: 0 after a requested stop, 1 if the port cannot be used."""
    try:
        listener = listen(port, host)
    except OSError as error:
        typer.echo(f"satchel: cannot listen on {host}:{port}: {os.strerror(error.errno or 0)}", err=True)
        return 1
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # uvicorn raises the signal again after its shutdown
    server = uvicorn.Server(uvicorn.Config(create_app(settings, origins), log_level="warning"))
    typer.echo(f"bridge to {settings.url} on http://{host}:{port} (/v1, /ag-ui, /ai-sdk/chat)")
    with suppress(KeyboardInterrupt):
        server.run([listener])
    return 0
