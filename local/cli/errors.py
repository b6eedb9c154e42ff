"""What can go wrong at the command line. Each is told in one line, and the command ends with 2.

CliError
├── AddressError         the --url is no http(s) address
├── UnreachableError     nobody answers there                (retryable)
├── CutError             the connection broke in the middle  (retryable)
├── StrangeAnswerError   something answered, but not as Satchel does
├── RefusedError         the server answered with an error   (problem+json; 502, 503 and 504 are retryable)
├── NoSuchFileError      the person has no file of that name, or not that version of it any more
├── FileChangedError     a file was written to while it was sent
├── SavingError          a file could not be written here
├── NotJsonError         arguments of a tool that are no JSON object
├── HasModelError        the server has a model, where a tool was to be called without one
└── NewServerError       a server cannot be made where it was wanted
"""

from http import HTTPStatus

_IN_A_MOMENT = {HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT}


class CliError(Exception):
    """Base of all; its text is one sentence for a person. ``retryable``: the same request may work in a moment."""

    retryable = False


class AddressError(CliError):
    """The address of the server cannot be one."""


class UnreachableError(CliError):
    """No connection could be made."""

    retryable = True


class CutError(CliError):
    """The connection was made and broke, or went silent."""

    retryable = True


class StrangeAnswerError(CliError):
    """The answer is not one of this API."""


class RefusedError(CliError):
    """An HTTP status of 400 and above; ``code`` is the problem's ``error_code``, where there is one."""

    def __init__(self, status: int, detail: str, code: str | None = None) -> None:
        super().__init__(f"{detail} ({code or f'HTTP {status}'})")
        self.status = status
        self.code = code
        self.retryable = status in _IN_A_MOMENT


class NoSuchFileError(CliError):
    """There is nothing to fetch."""


class FileChangedError(CliError):
    """What was sent is no state that the file ever had."""


class SavingError(CliError):
    """The folder or the file cannot be written."""


class NotJsonError(CliError):
    """What should have been a JSON object is none."""


class HasModelError(CliError):
    """A model stands between the command and the tool."""


class NewServerError(CliError):
    """There is something in the place of a new server, or its configuration cannot be read."""
