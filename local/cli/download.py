"""`satchel download`: its options. What it does is in `carry`, which is imported when it runs."""

import os
from pathlib import Path
from typing import Annotated

import typer

from local.cli.ask import DEFAULT_URL


def download(
    file: Annotated[str, typer.Argument(help="The file, by its key or its name; of several of a name, the newest.")],
    *,
    session: Annotated[str | None, typer.Option(help="Look for the name in this session alone.")] = None,
    out: Annotated[Path | None, typer.Option(help="Save it in this folder, or as this file.")] = None,
    url: Annotated[str, typer.Option(help="The server.", envvar="SATCHEL_URL")] = DEFAULT_URL,
    user: Annotated[str | None, typer.Option(help="Who asks, where the server believes it (a local one).")] = None,
) -> None:
    """Download a file of any size.

    Broken off and run again, it goes on where it was. Ends with 0 when the file is here, 2 when it is not.
    """
    from local.cli.carry import download_one  # noqa: PLC0415  (httpx and pydantic would slow every --help)
    from local.cli.talk import Question  # noqa: PLC0415  (the same)

    asked = Question(message=file, url=url, session=session, out=out, user=user, token=os.environ.get("SATCHEL_TOKEN"))
    raise typer.Exit(download_one(asked))
