"""Options and help texts of the `satchel user` commands. Each command imports its logic when it runs, as `commands`."""

# ruff: noqa: PLC0415  (functions contain imports, so that ``--help`` stays fast)

import sys
from typing import Annotated

import typer

app = typer.Typer(
    help="Manage the accounts of a server with passwords.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

NameArgument = Annotated[str, typer.Argument(help="The user's name. Upper and lower case are the same.")]
GroupOption = Annotated[
    list[str] | None, typer.Option("--group", help="A group, as in mcp.json; repeatable. All are in `users`.")
]
StdinOption = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from the first line of standard input.")
]


@app.command()
def add(name: NameArgument, *, group: GroupOption = None, password_stdin: StdinOption = False) -> None:
    """Create an account. Asks for its password twice.

    The accounts are in the data folder (SATCHEL_DATA). A running server knows the account at once. Exits with 0, or
    with 2 if the account cannot be created.
    """
    from local.emulator.sign_in.command import add_user

    raise typer.Exit(add_user(name, ask_password(confirm=True, from_stdin=password_stdin), group or []))


@app.command("list")
def list_() -> None:
    """List the accounts with their groups.

    Exits with 0, or with 2 if the accounts cannot be read.
    """
    from local.emulator.sign_in.command import list_users

    raise typer.Exit(list_users())


@app.command()
def remove(name: NameArgument) -> None:
    """Delete an account and end its sessions. Its chats and files stay.

    A new account of the same name has the same chats and files. Exits with 0, or with 2 if there is no such account.
    """
    from local.emulator.sign_in.command import remove_user

    raise typer.Exit(remove_user(name))


@app.command()
def password(name: NameArgument, *, password_stdin: StdinOption = False) -> None:
    """Change a password and end all sessions of the account.

    Exits with 0, or with 2 if the password cannot be changed.
    """
    from local.emulator.sign_in.command import change_password

    raise typer.Exit(change_password(name, ask_password(confirm=True, from_stdin=password_stdin)))


@app.command()
def groups(
    name: NameArgument,
    group: Annotated[list[str] | None, typer.Argument(help="All groups of the account, as in mcp.json.")] = None,
) -> None:
    """Replace the groups of an account and end its sessions.

    Exits with 0, or with 2 if there is no such account.
    """
    from local.emulator.sign_in.command import change_groups

    raise typer.Exit(change_groups(name, group or []))


def ask_password(*, confirm: bool, from_stdin: bool) -> str:
    """Return the password from standard input or from the terminal, which does not show it."""
    if from_stdin:
        return sys.stdin.readline().removesuffix("\n").removesuffix("\r")
    answer: str = typer.prompt("Password", hide_input=True, confirmation_prompt=confirm, err=True)
    return answer
