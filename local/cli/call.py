"""`satchel call`: its options. What it does is in `direct`, which is imported when it runs."""

import os
from pathlib import Path
from typing import Annotated

import typer

from local.cli.ask import DEFAULT_URL


def call(
    tool: Annotated[str, typer.Argument(help="The tool, as server.tool.")],
    arguments: Annotated[str, typer.Argument(help="Its arguments, a JSON object.")] = "{}",
    *,
    file: Annotated[
        list[Path] | None,
        typer.Option(help="Upload this file first; may be repeated.", exists=True, dir_okay=False, readable=True),
    ] = None,
    session: Annotated[str | None, typer.Option(help="Go on in this session instead of starting one.")] = None,
    out: Annotated[Path | None, typer.Option(help="Save the files that it makes in this folder.")] = None,
    url: Annotated[str, typer.Option(help="The server.", envvar="SATCHEL_URL")] = DEFAULT_URL,
    user: Annotated[str | None, typer.Option(help="Who asks, where the server believes it (a local one).")] = None,
) -> None:
    """Call one tool as a model would, and print its results.

    The call goes the whole way: groups, schema, injected arguments, runner, files. It needs a server without a model,
    since a model would decide for itself. Ends with 0 when the tool succeeded, 1 when it failed, 2 when it could not be
    called.
    """
    from local.cli.direct import DirectCall, call_tool  # noqa: PLC0415  (httpx and pydantic would slow every --help)
    from local.cli.talk import Question  # noqa: PLC0415  (the same)

    asked = Question(
        message="",
        url=url,
        files=file or [],
        session=session,
        out=out,
        user=user,
        token=os.environ.get("SATCHEL_TOKEN"),
    )
    raise typer.Exit(call_tool(DirectCall(tool, arguments), asked))
