"""`satchel models`: its options. What it does is in `ping`, which is imported when it runs."""

from typing import Annotated

import typer


def models(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Models, by the names that the settings give them, or as provider:model. Without: all."),
    ] = None,
    *,
    ping: Annotated[bool, typer.Option(help="Ask each of them a question, which costs some tokens.")] = False,
) -> None:
    """List the models of the settings (SATCHEL_MODEL, SATCHEL_MODELS), and try whether they answer.

    Ends with 0, or with 1 when one of those that were asked did not answer or the settings cannot be used.
    """
    from local.cli.ping import show  # noqa: PLC0415  (pydantic would slow every --help)

    raise typer.Exit(show(names or [], ping=ping))
