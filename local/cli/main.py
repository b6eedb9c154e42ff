"""Entry point of the `satchel` command. It imports only the commands' options, so that ``--help`` is fast."""

import gc

import typer

from local.cli import commands, data, user

app = typer.Typer(
    name="satchel",
    help="Satchel: chat with MCP tools, files in, files out.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # no markup, because importing rich would double the time of --help
    pretty_exceptions_enable=False,  # no rich tracebacks: they show local variables, such as the bearer token
)
for command in (
    commands.serve,
    commands.ask,
    commands.tools,
    commands.call,
    commands.upload,
    commands.download,
    commands.new_server,
    commands.add_server,
    commands.lint,
    commands.doctor,
    commands.sign_in,
    commands.sign_out,
    commands.models,
    commands.deploy_check,
    commands.bridge,
):
    app.command()(command)
app.add_typer(data.app, name="data")
app.add_typer(user.app, name="user")


def main() -> None:
    """Run the command line and exit with the command's exit code."""
    try:
        app()
    finally:
        gc.freeze()  # prevents garbage collection at exit, which takes a second after `satchel serve`


if __name__ == "__main__":
    main()
