"""`satchel new-server`: its options. What it does is in `skeleton`, which is imported when it runs."""

from pathlib import Path
from typing import Annotated

import typer

DEFAULT_CONFIG = Path(__file__).parents[2] / "functions/servers/mcp.json"


def new_server(
    name: Annotated[str, typer.Argument(help="Its name: letters, digits, - and _, a letter first.")],
    *,
    config: Annotated[
        Path, typer.Option(help="The mcp.json that it is entered in.", envvar="SATCHEL_MCP_CONFIG")
    ] = DEFAULT_CONFIG,
) -> None:
    """Write a server that works, with its entry in mcp.json.

    Its folder is made beside the configuration. Ends with 0, or with 2 when there is something in its place.
    """
    from local.cli.skeleton import make_server  # noqa: PLC0415  (satchel's models would slow every --help)

    raise typer.Exit(make_server(name, config))
