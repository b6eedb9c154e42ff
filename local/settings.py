"""What the functions are told by environment variables; in the cloud the stacks say it."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import Field

from infra import sources
from infra.limits import TOOL_TIMES
from satchel import settings
from satchel.domain.servers import ServerEntry

NAME = "satchel"
RUNNER_PREFIX = f"{NAME}-run-"
REMOTE_RUNNER = f"{NAME}-remote"

_DEFAULT_CONFIG = sources.SERVERS / "mcp.json"
_MIB = 1 << 20
_OWN_SERVER = "SATCHEL_SERVER"
_HTTP_PORT = 80  # which origins leave out
# No function URL and no Lambda payload stands between: more goes through in one piece than in the cloud.
_DEFAULTS = {"SATCHEL_MAX_BODY_BYTES": str(64 * _MIB), "SATCHEL_MAX_INLINE_BYTES": str(64 * _MIB), **TOOL_TIMES}
_DEFAULTS |= {"SATCHEL_METRICS": "off"}  # here nobody reads them out of the log
_KINDS = [kind for kind in vars(settings).values() if isinstance(kind, type) and issubclass(kind, settings.Settings)]
_KNOWN = {f"SATCHEL_{field.upper()}" for kind in _KINDS for field in kind.model_fields}


class MachineSettings(settings.Settings):
    """How much runs at the same time here, where nobody adds machines.

    There are never more than ``max_environments`` runners, each of one person and one server; a call that finds all
    of them busy waits for one for ``max_wait_seconds`` at most.
    """

    max_environments: int = Field(default=16, ge=1)
    max_wait_seconds: float = Field(default=120, gt=0)


def of_functions(port: int) -> dict[str, str]:
    """Return the settings of all functions; what the person has set stands (``SATCHEL_MODEL=… make run``)."""
    suffix = "" if port == _HTTP_PORT else f":{port}"
    ours = {
        "SATCHEL_TABLE": NAME,
        "SATCHEL_BUCKET": f"{NAME}-files",
        "SATCHEL_RUNNER_PREFIX": RUNNER_PREFIX,
        "SATCHEL_REMOTE_RUNNER": REMOTE_RUNNER,
        "SATCHEL_MCP_CONFIG": str(Path(os.environ.get("SATCHEL_MCP_CONFIG", _DEFAULT_CONFIG)).resolve()),
        "SATCHEL_CAPABILITY_SECRET": f"{NAME}-capability",
        "SATCHEL_END_SESSION_FUNCTION": f"{NAME}-end_session",
        "SATCHEL_ERASE_FUNCTION": f"{NAME}-erase",
        "SATCHEL_AUTH": "local",
        "SATCHEL_PUBLIC_URL": f"http://127.0.0.1:{port}",
        "SATCHEL_SOCKET_URL": f"ws://127.0.0.1:{port}/ws",
        "SATCHEL_WEB_ORIGINS": ",".join(f"http://{host}{suffix}" for host in ("127.0.0.1", "localhost", "[::1]")),
    }
    theirs = {name: value for name, value in os.environ.items() if name.startswith("SATCHEL_")}
    return _DEFAULTS | theirs | ours


def of_runner(
    entries: Iterable[ServerEntry], functions: Mapping[str, str], server: str | None = None
) -> dict[str, str]:
    """Return the settings of a runner: those that Satchel knows, and the variables that its entries name.

    Any other may be another server's secret, whatever it is called. ``functions`` are the settings of all functions,
    ``server`` is the one that the runner is for; None: for all remote ones.
    """
    own = {name: os.environ[name] for entry in entries for name in entry.variables if name in os.environ}
    known = {name: value for name, value in functions.items() if name in _KNOWN - {_OWN_SERVER}}
    return {**own, **known, **({_OWN_SERVER: server} if server else {})}
