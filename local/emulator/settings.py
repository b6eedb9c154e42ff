"""Environment variables of the emulated functions and runners. On AWS, the CDK stacks set these variables."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic import Field

from infra import sources
from infra.limits import TOOL_TIMEOUT_ENVIRONMENT
from local.emulator.runners.capacity import default_environments
from satchel import settings
from satchel.domain.servers import ServerEntry

NAME = "satchel"
RUNNER_PREFIX = f"{NAME}-run-"
REMOTE_RUNNER = f"{NAME}-remote"

_DEFAULT_CONFIG = sources.SERVERS / "mcp.json"
_MIB = 1 << 20
_SERVER_VARIABLE = "SATCHEL_SERVER"
_LOG_VARIABLES = ("POWERTOOLS_LOG_LEVEL",)
_HTTP_PORT = 80  # the default port, which browsers omit in the Origin header
# Allow larger requests than AWS: the emulator has no function URLs or Lambda payload limits that restrict the size.
_DEFAULTS = {
    "SATCHEL_MAX_BODY_BYTES": str(64 * _MIB),
    "SATCHEL_MAX_INLINE_BYTES": str(64 * _MIB),
    **TOOL_TIMEOUT_ENVIRONMENT,
}
_DEFAULTS |= {"SATCHEL_METRICS": "off"}  # metrics in the log are useless here: only CloudWatch extracts them
_GROUPS = [
    each for each in vars(settings).values() if isinstance(each, type) and issubclass(each, settings.SettingsGroup)
]
_KNOWN_VARIABLES = {f"SATCHEL_{field.upper()}" for each in _GROUPS for field in each.model_fields}


class MachineSettings(settings.SettingsGroup):
    """Limits of concurrent runner environments, because one machine cannot scale out, and the key of the local API.

    At most ``max_environments`` runner environments exist, each for one user and one server. The default depends on the
    memory of the machine. If all are busy, a call waits for up to ``max_wait_seconds``. Without ``local_key``, each
    start has a new key.
    """

    local_key: str | None = Field(default=None, pattern=r"^[A-Za-z0-9._~-]{20,}$")
    max_environments: int = Field(default_factory=default_environments, ge=1)
    max_wait_seconds: float = Field(default=120, gt=0)


def function_settings(port: int) -> dict[str, str]:
    """Return the environment variables that all emulated functions share.

    Variables of the user's shell (``SATCHEL_MODEL=… make run``) override the defaults, but not resource names and URLs.
    """
    suffix = "" if port == _HTTP_PORT else f":{port}"
    fixed = {
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
    own = {name: value for name, value in os.environ.items() if name.startswith("SATCHEL_")}
    return _DEFAULTS | own | fixed


def runner_settings(
    entries: Iterable[ServerEntry], functions: Mapping[str, str], server: str | None = None
) -> dict[str, str]:
    """Return a runner's environment variables: Satchel's settings, the log level, and those that its entries name.

    A runner gets no other variables, because any of them may be another server's secret. ``functions`` is the result of
    ``function_settings``. ``server`` is the runner's MCP server, or None for the runner of all remote MCP servers.
    """
    of_entries = {name: os.environ[name] for entry in entries for name in entry.variables if name in os.environ}
    known = {name: value for name, value in functions.items() if name in _KNOWN_VARIABLES - {_SERVER_VARIABLE}}
    known |= {name: os.environ[name] for name in _LOG_VARIABLES if name in os.environ}
    return {**of_entries, **known, **({_SERVER_VARIABLE: server} if server else {})}
