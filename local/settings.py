"""What the functions are told by environment variables; in the cloud the stacks say it."""

import os
from collections.abc import Mapping
from pathlib import Path

from pydantic_settings import BaseSettings

from infra import sources
from infra.limits import TOOL_TIMES
from satchel import settings
from satchel.domain.servers import ServerEntry

NAME = "satchel"
RUNNER_PREFIX = f"{NAME}-run-"

_DEFAULT_CONFIG = sources.SERVERS / "mcp.json"
_MIB = 1 << 20
_HTTP_PORT = 80  # which origins leave out
# No function URL and no Lambda payload stands between: more goes through in one piece than in the cloud.
_DEFAULTS = {"SATCHEL_MAX_BODY_BYTES": str(64 * _MIB), "SATCHEL_MAX_INLINE_BYTES": str(64 * _MIB), **TOOL_TIMES}
_KINDS = [kind for kind in vars(settings).values() if isinstance(kind, type) and issubclass(kind, BaseSettings)]
_KNOWN = {f"SATCHEL_{field.upper()}" for kind in _KINDS for field in kind.model_fields}


def of_functions(port: int) -> dict[str, str]:
    """Return the settings of all functions; what the person has set stands (``SATCHEL_MODEL=… make run``)."""
    suffix = "" if port == _HTTP_PORT else f":{port}"
    ours = {
        "SATCHEL_TABLE": NAME,
        "SATCHEL_BUCKET": f"{NAME}-files",
        "SATCHEL_RUNNER_PREFIX": RUNNER_PREFIX,
        "SATCHEL_MCP_CONFIG": str(Path(os.environ.get("SATCHEL_MCP_CONFIG", _DEFAULT_CONFIG)).resolve()),
        "SATCHEL_CAPABILITY_SECRET": f"{NAME}-capability",
        "SATCHEL_AUTH": "local",
        "SATCHEL_PUBLIC_URL": f"http://127.0.0.1:{port}",
        "SATCHEL_SOCKET_URL": f"ws://127.0.0.1:{port}/ws",
        "SATCHEL_WEB_ORIGINS": ",".join(f"http://{host}{suffix}" for host in ("127.0.0.1", "localhost", "[::1]")),
    }
    theirs = {name: value for name, value in os.environ.items() if name.startswith("SATCHEL_")}
    return _DEFAULTS | theirs | ours


def of_runner(server: str, entry: ServerEntry, functions: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of one server's runner: those that Satchel knows, and the variables that its entry names.

    Any other may be another server's secret, whatever it is called. ``functions`` are the settings of all functions.
    """
    own = {name: os.environ[name] for name in entry.variables if name in os.environ}
    known = {name: value for name, value in functions.items() if name in _KNOWN}
    return {**own, **known, "SATCHEL_SERVER": server}
