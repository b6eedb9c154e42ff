"""The connection of the commands to a server: its address, the caller's identity, and the errors that users see."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx2
import typer

from local.cli.errors import CliError, ExitCode, message_of, print_error
from local.local_key import find_key, find_sign_in
from satchel.domain.ids import UserName
from satchel_client import Client, SatchelError

_HTTP_PORT, _HTTPS_PORT = 80, 443
LOOPBACK = {"127.0.0.1", "localhost", "::1"}


@dataclass(frozen=True)
class Connection:
    """The server's base URL and the caller's identity.

    ``user`` is sent in the identity header, which only a local server accepts. ``token`` is sent as the bearer token.
    In tests, ``transport`` answers requests instead of a server, and ``sleep`` does not wait.
    """

    url: str
    user: UserName | None = None
    token: str | None = None
    transport: httpx2.BaseTransport | None = None
    sleep: Callable[[float], None] = time.sleep

    def client(self) -> Client:
        """Return a client of the server. Raise InvalidUrl if the URL is not an http or https URL."""
        return Client(self.url, self.token, user=self.user, transport=self.transport, sleep=self.sleep)


def find_token(url: str) -> str | None:
    """Return the bearer token for this server: its key if it is on this machine, its sign-in, or SATCHEL_TOKEN.

    Never return the key of this machine's server, or the sign-in at a server, for another server.
    """
    with suppress(ValueError):  # an invalid port; the client reports the invalid URL
        host, port = host_and_port(url)
        key = find_key(port) if host in LOOPBACK else None
        return key or find_sign_in(host, port) or os.environ.get("SATCHEL_TOKEN")
    return None


def host_and_port(url: str) -> tuple[str, int]:
    """Return the host name and the port of a server. Raise ValueError if the port is invalid."""
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or (_HTTPS_PORT if parts.scheme == "https" else _HTTP_PORT)


def run_with_client(
    connection: Connection, action: Callable[[Client], ExitCode], *, interrupt_hint: str = ""
) -> ExitCode:
    """Call ``action`` with a client and return the action's exit code. Print an error as one line.

    After Ctrl-C, print that the command was interrupted, and ``interrupt_hint`` on a second line.
    """
    try:
        with connection.client() as client:
            return action(client)
    except (CliError, SatchelError) as error:
        print_error(message_of(error))
        return ExitCode.ERROR
    except KeyboardInterrupt:
        print_error("interrupted")
        if interrupt_hint:
            typer.echo(interrupt_hint, err=True)
        return ExitCode.INTERRUPTED
