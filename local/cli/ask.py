"""`satchel ask`: its options. What it does is in `talk`, which is imported when it runs."""

import os
from pathlib import Path
from typing import Annotated

import typer

DEFAULT_URL = "http://127.0.0.1:8000"


def ask(
    message: Annotated[str, typer.Argument(help="What to say, or a line like /server.tool {…} for a tool itself.")],
    *,
    file: Annotated[
        list[Path] | None,
        typer.Option(help="Upload this file first; may be repeated.", exists=True, dir_okay=False, readable=True),
    ] = None,
    tool: Annotated[list[str] | None, typer.Option(help="Allow this tool and no other; may be repeated.")] = None,
    session: Annotated[str | None, typer.Option(help="Go on in this session instead of starting one.")] = None,
    model: Annotated[
        str | None, typer.Option(help="Have this model answer, of those that GET /api/config names.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Save the files of the answer in this folder.")] = None,
    url: Annotated[str, typer.Option(help="The server.", envvar="SATCHEL_URL")] = DEFAULT_URL,
    user: Annotated[str | None, typer.Option(help="Who asks, where the server believes it (a local one).")] = None,
) -> None:
    """Say something to a running server and wait.

    Prints the answer and lists the files that it made. SATCHEL_TOKEN, if set, is sent as the bearer token. Ends with 0
    when the turn is complete, 1 when it failed or was cancelled, 2 when the server could not be asked.
    """
    from local.cli.talk import Question, talk  # noqa: PLC0415  (httpx and pydantic would slow every --help)

    question = Question(
        message=message,
        url=url,
        files=file or [],
        tools=tool or [],
        session=session,
        model=model,
        out=out,
        user=user,
        token=os.environ.get("SATCHEL_TOKEN"),
    )
    raise typer.Exit(talk(question))
