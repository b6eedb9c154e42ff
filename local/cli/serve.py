"""`satchel serve`: its options. The system itself is in `local.serve`, which is imported when it runs."""

from typing import Annotated

import typer

DEFAULT_PORT = 8000
MOST_PORTS = 65_535


def serve(
    *,
    port: Annotated[
        int, typer.Option(help="Port on 127.0.0.1.", envvar="SATCHEL_PORT", min=0, max=MOST_PORTS)
    ] = DEFAULT_PORT,
) -> None:
    """Serve Satchel on this machine until Ctrl-C.

    The whole of it runs here, with a stand-in for AWS; what it holds is gone when it stops.
    """
    from local.serve import run  # noqa: PLC0415  (AWS's stand-in takes a second to import)

    raise typer.Exit(run(port))
