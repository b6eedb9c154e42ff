"""Write the key of the local API where the commands of this account find it, and no tool does."""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from local.local_key import VARIABLE, KeyFile, key_path
from satchel.adapters.sandbox.readable_paths import readable_paths
from satchel.adapters.server_config import resolve_python
from satchel.domain.servers import ServerEntry


@contextmanager
def published_key(port: int, key: str, servers: Mapping[str, ServerEntry]) -> Iterator[str]:
    """Write the key file, remove it on exit, and yield one line about it for the user.

    If the file cannot be written, or if a server may read its directory, there is no file, and the line says why.
    """
    with ExitStack() as stack:
        try:
            path = key_path(port)
            if server := find_reader(path, servers):
                raise PermissionError(f"the tools of {server!r} could read {path}")
            stack.enter_context(KeyFile(path, key))
        except OSError as error:
            line = f"No key file ({error.strerror or error}): satchel ask needs {VARIABLE}."
        else:
            line = f"The key for other clients is in {path}"
        yield line


def find_reader(path: Path, servers: Mapping[str, ServerEntry]) -> str | None:
    """Return the name of a server whose sandbox lets it read this path, or None."""
    real = Path(os.path.realpath(path))
    for name, entry in servers.items():
        if entry.command is None:
            continue
        program, *_ = resolve_python(entry.command)
        readable = readable_paths(entry, shutil.which(program) or program)
        if any(real.is_relative_to(os.path.realpath(directory)) for directory in readable):
            return name
    return None
