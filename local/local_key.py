"""The key of a server on this machine, and the sign-ins of this account at servers with passwords.

``satchel serve`` has a new key after each start. It writes the key into a file that only its own account can read, and
the other commands read the file. ``satchel sign-in`` writes such a file, too. The files are in the account's state
directory, which the sandbox hides from tools.
"""

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self
from urllib.parse import quote

VARIABLE = "SATCHEL_LOCAL_KEY"
"""The environment variable that sets the key, for the server as well as for the commands."""

_STATE_VARIABLE = "XDG_STATE_HOME"
_DEFAULT_STATE = ".local/state"


def key_path(port: int) -> Path:
    """Return the path of the key file of the server on this port. Raise OSError if this account has no home."""
    return _state_folder() / f"local-key-{port}"


def sign_in_path(host: str, port: int) -> Path:
    """Return the path of the file with the sign-in at this server. Raise OSError if this account has no home."""
    return _state_folder() / f"sign-in-{quote(host, safe='')}-{port}"


def _state_folder() -> Path:
    state = Path(os.environ.get(_STATE_VARIABLE, ""))
    try:
        folder = state if state.is_absolute() else Path.home() / _DEFAULT_STATE
    except RuntimeError as error:
        raise FileNotFoundError("this account has no home directory") from error
    return folder / "satchel"


def find_key(port: int) -> str | None:
    """Return the key of the server on this port, from the environment or the key file. Return None if there is none."""
    if key := os.environ.get(VARIABLE):
        return key
    return _read(lambda: key_path(port))


def find_sign_in(host: str, port: int) -> str | None:
    """Return the token of this account's sign-in at the server. Return None if there is none."""
    return _read(lambda: sign_in_path(host, port))


def _read(path: Callable[[], Path]) -> str | None:
    try:
        return path().read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None


def write_private_file(path: Path, content: str) -> None:
    """Write a file that only this account can read. Raise OSError if that is not possible."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent)  # has mode 0600
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(content)
        Path(temporary).replace(path)  # also replaces a file or link that a killed server left
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise


class KeyFile:
    """Context manager that writes the key file, and removes the file on exit."""

    def __init__(self, path: Path, key: str) -> None:
        self._path = path
        self._content = f"{key}\n"

    def __enter__(self) -> Self:
        """Write the file, readable only for this account. Raise OSError if that is not possible."""
        write_private_file(self._path, self._content)
        return self

    def __exit__(self, *_exception: object) -> None:
        """Remove the file, unless another server on the same port has written its own key since."""
        with suppress(OSError):
            if self._path.read_text(encoding="ascii") == self._content:
                self._path.unlink()
