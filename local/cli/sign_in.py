"""`satchel sign-in` and `satchel sign-out`: the sign-in of this account at a server with passwords."""

import typer

from local.cli.connection import Connection, host_and_port, run_with_client
from local.cli.errors import ExitCode, SaveError
from local.local_key import find_sign_in, sign_in_path, write_private_file
from satchel_client import Client


def sign_in(url: str, user: str, password: str) -> ExitCode:
    """Sign in and write the token into a file that only this account can read."""

    def run(client: Client) -> ExitCode:
        token = client.sign_in(user, password)
        path = sign_in_path(*host_and_port(url))
        try:
            write_private_file(path, f"{token}\n")
        except OSError as error:
            raise SaveError(f"cannot write {path}: {error.strerror or error}") from error
        typer.echo(f"signed in at {url} as {user.lower()}")
        return ExitCode.SUCCESS

    return run_with_client(Connection(url), run)


def sign_out(url: str) -> ExitCode:
    """End the sign-in at the server and delete its file. Without effect if there is none."""

    def run(client: Client) -> ExitCode:
        client.sign_out()
        sign_in_path(*host_and_port(url)).unlink(missing_ok=True)
        typer.echo(f"signed out at {url}")
        return ExitCode.SUCCESS

    return run_with_client(Connection(url, token=find_sign_in(*host_and_port(url))), run)
