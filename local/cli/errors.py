"""Errors and exit codes of the commands. A command prints an error as one line and exits with ``ExitCode.ERROR``.

Requests raise `satchel_client.SatchelError`. The commands' own errors:

CliError
├── MissingFileError         the user has no such file
├── SaveError                a file cannot be written on this machine
├── InvalidArgumentsError    the arguments of a tool are not a JSON object, or those of a prompt not name=value
├── ModelConfiguredError     `satchel call` needs a server without a model
└── NewServerError           `satchel new-server` or `add-server` cannot add the server
"""

from enum import IntEnum

import typer

from local.cli.text import one_line
from satchel_client.errors import SatchelError, Unreachable

RESUME_HINT = "Run the same command again to resume."


class ExitCode(IntEnum):
    """Exit codes of all commands. ``ERROR`` is also the code for wrong usage. 130 is the shell's code for Ctrl-C."""

    SUCCESS = 0
    FAILURE = 1
    ERROR = 2
    INTERRUPTED = 130


class CliError(Exception):
    """Base class of the commands' own errors. The message is for the user."""


class MissingFileError(CliError):
    """The user has no such file."""


class SaveError(CliError):
    """A file or folder on this machine cannot be written."""


class InvalidArgumentsError(CliError):
    """The arguments of a tool are not a JSON object."""


class ModelConfiguredError(CliError):
    """`satchel call` needs a server without a model, because a model would decide itself which tool to call."""


class NewServerError(CliError):
    """`satchel new-server` failed: the name is invalid or in use, or a file cannot be read or written."""


def message_of(error: Exception) -> str:
    """Return the text of an error for users of the command line."""
    if isinstance(error, Unreachable):
        return f"{str(error).removesuffix('.')}; `satchel serve` starts one here."
    return str(error)


def print_error(message: str) -> None:
    """Print ``satchel: message`` as one line to stderr."""
    typer.echo(f"satchel: {one_line(message)}", err=True)


def print_transfer_error(name: str, error: Exception) -> None:
    """Print why the transfer of a file failed and, if the error is retryable, how to resume the transfer."""
    print_error(f"{name}: {message_of(error)}")
    if isinstance(error, SatchelError) and error.retryable:
        typer.echo(RESUME_HINT, err=True)
