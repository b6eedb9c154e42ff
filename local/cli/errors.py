"""Errors and exit codes of the commands. A command prints a `CliError` as one line and exits with ``ExitCode.ERROR``.

CliError
├── InvalidUrlError          --url is not an http(s) URL
├── UnreachableError         no connection to the server             (retryable)
├── ConnectionLostError      the connection broke or timed out       (retryable)
├── UnexpectedResponseError  the response does not follow the API
├── ApiError                 the server answered with an error       (retryable if 429, 502, 503 or 504)
├── MissingFileError         the user has no such file, or the requested version no longer exists
├── FileChangedError         the local file changed during its upload
├── SaveError                a file cannot be written on this machine
├── InvalidArgumentsError    the arguments of a tool are not a JSON object, or those of a prompt not name=value
├── ModelConfiguredError     `satchel call` needs a server without a model
└── NewServerError           `satchel new-server` or `add-server` cannot add the server
"""

from collections.abc import Sequence
from enum import IntEnum
from http import HTTPStatus

import typer

from local.cli.schemas import InvalidField
from local.cli.text import one_line

RESUME_HINT = "Run the same command again to resume."
_TEMPORARY = {
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.BAD_GATEWAY,
    HTTPStatus.SERVICE_UNAVAILABLE,
    HTTPStatus.GATEWAY_TIMEOUT,
}


class ExitCode(IntEnum):
    """Exit codes of all commands. ``ERROR`` is also the code for wrong usage. 130 is the shell's code for Ctrl-C."""

    SUCCESS = 0
    FAILURE = 1
    ERROR = 2
    INTERRUPTED = 130


class CliError(Exception):
    """Base class of the commands' errors. The message is for the user. If ``retryable`` is set, a retry may succeed."""

    retryable = False


class InvalidUrlError(CliError):
    """The server's address is not an http or https URL."""


class UnreachableError(CliError):
    """The connection to the server could not be opened."""

    retryable = True


class ConnectionLostError(CliError):
    """The connection was opened, then broke or timed out."""

    retryable = True


class UnexpectedResponseError(CliError):
    """The response does not follow Satchel's API."""


class ApiError(CliError):
    """A response with an HTTP status of 400 or above. ``code`` is the ``error_code`` of the response body, if any.

    ``fields`` are the fields of the request that the server rejected, with the reasons.
    """

    def __init__(self, status: int, detail: str, code: str | None = None, fields: Sequence[InvalidField] = ()) -> None:
        super().__init__(f"{detail} ({code or f'HTTP {status}'})")
        self.status = status
        self.code = code
        self.fields = fields
        self.retryable = status in _TEMPORARY


class MissingFileError(CliError):
    """The user has no such file, or the requested version of the file no longer exists."""


class FileChangedError(CliError):
    """The local file changed during its upload."""


class SaveError(CliError):
    """A file or folder on this machine cannot be written."""


class InvalidArgumentsError(CliError):
    """The arguments of a tool are not a JSON object."""


class ModelConfiguredError(CliError):
    """`satchel call` needs a server without a model, because a model would decide itself which tool to call."""


class NewServerError(CliError):
    """`satchel new-server` failed: the name is invalid or in use, or a file cannot be read or written."""


def print_error(message: str) -> None:
    """Print ``satchel: message`` as one line to stderr."""
    typer.echo(f"satchel: {one_line(message)}", err=True)


def print_transfer_error(name: str, error: CliError) -> None:
    """Print why the transfer of a file failed and, if the error is retryable, how to resume the transfer."""
    print_error(f"{name}: {error}")
    if error.retryable:
        typer.echo(RESUME_HINT, err=True)
