"""The two ways to let requests reach the local API: the key of this start, or accounts with passwords."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

from starlette.types import ASGIApp

from local.emulator.access_checks import LOOPBACK_NAMES, KeyCheck
from local.emulator.published_key import published_key
from local.emulator.settings import AccessSettings
from local.emulator.sign_in.accounts import Accounts
from local.emulator.sign_in.database import AccountsError, open_database
from local.emulator.sign_in.gateway import Cookie, PasswordGateway, identity_from_session
from local.emulator.sign_in.passwords import Passwords
from local.emulator.sign_in.sessions import Lifetime, Sessions
from local.emulator.sign_in.throttle import Throttle
from local.emulator.startup import StartupError
from local.local_key import key_path
from satchel.domain.servers import ServerEntry
from satchel.entrypoints.http.identity import CurrentIdentity, IdentityReader, identity_from_headers, keep_identity


@dataclass(frozen=True)
class Entrance:
    """The check of all API requests, and how the API reads the user from a checked request.

    ``url`` is the origin at which users reach the server. ``page_url`` is the address to open in a browser. ``notes``
    are lines for the terminal. ``is_shared`` is True if users have accounts.
    ``find_current`` returns the user of a personal token with the groups of the account, or None without an account.
    """

    url: str
    page_url: str
    notes: tuple[str, ...]
    protect: Callable[[ASGIApp], ASGIApp]
    read_identity: IdentityReader
    is_shared: bool = False
    find_current: CurrentIdentity = keep_identity


@contextmanager
def key_entrance(port: int, key: str, servers: Mapping[str, ServerEntry]) -> Iterator[Entrance]:
    """Let requests with the key act as the user that they name."""
    with published_key(port, key, servers) as note:
        url = f"http://127.0.0.1:{port}"
        # A browser never sends the part after ``#`` to a server.
        yield Entrance(url, f"{url}/#key={key}", (note,), partial(KeyCheck, key=key), identity_from_headers)


@contextmanager
def password_entrance(port: int, settings: AccessSettings) -> Iterator[Entrance]:
    """Let requests with a session act as the user who signed in. The accounts are in the data folder.

    Raise StartupError if the accounts cannot be opened.
    """
    url = settings.public_url or f"http://127.0.0.1:{port}"
    lifetime = Lifetime(settings.sign_in_idle_hours, settings.sign_in_max_hours)
    cookie = Cookie(secure=url.startswith("https://"), max_seconds=lifetime.max_seconds)
    with suppress(OSError):
        key_path(port).unlink(missing_ok=True)  # of a killed server; commands would prefer its key to their sign-in
    try:
        with open_database() as database:
            accounts = Accounts(database, Passwords(), time.time)
            sessions = Sessions(database, lifetime, time.time)
            throttle = Throttle(time.monotonic)

            def protect(app: ASGIApp) -> ASGIApp:
                return PasswordGateway(app, accounts, sessions, throttle, cookie)

            notes = tuple(_notes(url, len(accounts.list())))
            yield Entrance(
                url, url, notes, protect, identity_from_session, is_shared=True, find_current=accounts.find_current
            )
    except AccountsError as error:
        raise StartupError(str(error)) from error


def _notes(url: str, count: int) -> Iterator[str]:
    if count:
        yield f"Users sign in with a password ({count} account{'s' * (count > 1)}); commands need satchel sign-in."
    else:
        yield "There are no accounts yet: satchel user add NAME creates one."
    parts = urlsplit(url)
    if parts.scheme == "http" and parts.hostname not in LOOPBACK_NAMES:
        yield f"Warning: {url} is not encrypted: passwords and files can be read on the network (docs/home-server.md)."
