"""Entry point of the `satchel` command. It imports no more than the options of each command: help comes at once."""

import gc

import typer

from local.cli.ask import ask
from local.cli.call import call
from local.cli.doctor import doctor
from local.cli.download import download
from local.cli.lint import lint
from local.cli.models import models
from local.cli.new_server import new_server
from local.cli.serve import serve
from local.cli.tools import tools
from local.cli.upload import upload

app = typer.Typer(
    name="satchel",
    help="Satchel: chat with MCP tools, files in, files out.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # plain help needs no rich, whose import is half the time
    pretty_exceptions_enable=False,  # its frames show local variables, a token among them
)
app.command()(serve)
app.command()(ask)
app.command()(tools)
app.command()(call)
app.command()(upload)
app.command()(download)
app.command()(new_server)
app.command()(lint)
app.command()(doctor)
app.command()(models)


def main() -> None:
    """Run the command that the arguments name and exit with its code."""
    try:
        app()
    finally:
        gc.freeze()  # what ends with the process is not looked through for garbage: a second, after `serve`


if __name__ == "__main__":
    main()
