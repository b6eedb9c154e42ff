"""Run and print the commands of `satchel user`."""

import sqlite3
import time
from collections.abc import Callable, Sequence

import typer
from pydantic import ValidationError

from local.cli.errors import ExitCode, print_error
from local.emulator.sign_in.accounts import Accounts
from local.emulator.sign_in.database import AccountsError, open_database
from local.emulator.sign_in.passwords import InvalidPassword, Passwords


def add_user(name: str, password: str, groups: Sequence[str]) -> ExitCode:
    """Create an account and print its groups."""

    def run(accounts: Accounts) -> str:
        account = accounts.add(name, password, groups)
        return f"created {account.name} in the groups {', '.join(sorted(account.groups))}"

    return _run(run)


def list_users() -> ExitCode:
    """Print a line for each account."""
    return _run(lambda accounts: "\n".join(f"{each.name}  {', '.join(each.groups)}" for each in accounts.list()))


def remove_user(name: str) -> ExitCode:
    """Delete an account."""

    def run(accounts: Accounts) -> str:
        accounts.remove(name)
        return f"removed {name.lower()}; its chats and files stay"

    return _run(run)


def change_password(name: str, password: str) -> ExitCode:
    """Change a password."""

    def run(accounts: Accounts) -> str:
        accounts.set_password(name, password)
        return f"changed the password of {name.lower()} and ended its sessions"

    return _run(run)


def change_groups(name: str, groups: Sequence[str]) -> ExitCode:
    """Replace the groups of an account."""

    def run(accounts: Accounts) -> str:
        accounts.set_groups(name, groups)
        return f"changed the groups of {name.lower()} and ended its sessions"

    return _run(run)


def _run(change: Callable[[Accounts], str]) -> ExitCode:
    """Print the result of a change, or an expected error as one line."""
    try:
        with open_database() as database:
            text = change(Accounts(database, Passwords(), time.time))
    except ValidationError as error:
        [location, *_] = error.errors()[0]["loc"]
        print_error(f"SATCHEL_{str(location).upper()}: {error.errors()[0]['msg']}")
        return ExitCode.ERROR
    except (AccountsError, InvalidPassword, sqlite3.Error) as error:
        print_error(str(error))
        return ExitCode.ERROR
    if text:
        typer.echo(text)
    return ExitCode.SUCCESS
