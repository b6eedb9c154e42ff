"""`satchel upload`: its options. What it does is in `carry`, which is imported when it runs."""

import os
from pathlib import Path
from typing import Annotated

import typer

from local.cli.ask import DEFAULT_URL


def upload(
    files: Annotated[
        list[Path],
        typer.Argument(help="Files of this machine, of any size.", exists=True, dir_okay=False, readable=True),
    ],
    *,
    session: Annotated[str | None, typer.Option(help="Upload into this session instead of My Files alone.")] = None,
    url: Annotated[str, typer.Option(help="The server.", envvar="SATCHEL_URL")] = DEFAULT_URL,
    user: Annotated[str | None, typer.Option(help="Who asks, where the server believes it (a local one).")] = None,
) -> None:
    """Upload files, large ones in parts that are checked on their way.

    Broken off and run again, it goes on where it was. Ends with 0 when all files are there, 2 when one is not.
    """
    from local.cli.carry import upload_all  # noqa: PLC0415  (httpx and pydantic would slow every --help)
    from local.cli.talk import Question  # noqa: PLC0415  (the same)

    asked = Question(
        message="", url=url, files=files, session=session, user=user, token=os.environ.get("SATCHEL_TOKEN")
    )
    raise typer.Exit(upload_all(asked))
