"""`satchel tools`: its options. What it does is in `listing`, which is imported when it runs."""

import os
from typing import Annotated

import typer

from local.cli.ask import DEFAULT_URL


def tools(
    *,
    url: Annotated[str, typer.Option(help="The server.", envvar="SATCHEL_URL")] = DEFAULT_URL,
    user: Annotated[str | None, typer.Option(help="Who asks, where the server believes it (a local one).")] = None,
    json: Annotated[bool, typer.Option("--json", help="Write JSON, with the schemas.")] = False,
) -> None:
    """List the tools that you may use, by server.

    Ends with 0 when all servers are well, 1 when one is not, 2 when Satchel could not be asked.
    """
    from local.cli.listing import list_tools  # noqa: PLC0415  (httpx and pydantic would slow every --help)

    raise typer.Exit(list_tools(url, user, os.environ.get("SATCHEL_TOKEN"), as_json=json))
