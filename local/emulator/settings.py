"""Environment variables of the emulated functions and runners. On AWS, the CDK stacks set these variables."""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from infra import sources
from infra.limits import TOOL_TIMEOUT_ENVIRONMENT
from local.emulator.runners.capacity import default_environments
from satchel import settings
from satchel.adapters.network_variables import NETWORK
from satchel.domain.servers import ServerEntry

NAME = "satchel"
RUNNER_PREFIX = f"{NAME}-run-"
REMOTE_RUNNER = f"{NAME}-remote"

_DEFAULT_CONFIG = sources.SERVERS / "mcp.json"
_MIB = 1 << 20
_SERVER_VARIABLE = "SATCHEL_SERVER"
_ORIGIN = re.compile(r"https?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?/?")
_PASSED_ON = ("POWERTOOLS_LOG_LEVEL", *NETWORK)
_HTTP_PORT = 80  # the default port, which browsers omit in the Origin header
# Allow larger requests than AWS: the emulator has no function URLs or Lambda payload limits that restrict the size.
_DEFAULTS = {
    "SATCHEL_MAX_BODY_BYTES": str(64 * _MIB),
    "SATCHEL_MAX_INLINE_BYTES": str(64 * _MIB),
    "SATCHEL_RELOAD_SERVERS": "true",
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
    start has a new key. ``data`` is the folder in which the data stay, or ``memory``. ``apps_port`` serves the frame
    for apps of MCP servers, by default any free port.
    """

    data: str | None = Field(default=None, min_length=1)
    local_key: str | None = Field(default=None, pattern=r"^[A-Za-z0-9._~-]{20,}$")
    apps_port: int = Field(default=0, ge=0, le=65_535)
    max_environments: int = Field(default_factory=default_environments, ge=1)
    max_wait_seconds: float = Field(default=120, gt=0)


def _parse_public_url(url: str) -> str:
    """Return the origin in lower case, without a trailing slash. Raise ValueError if the text is no origin."""
    if not _ORIGIN.fullmatch(url) or urlsplit(url).port == 0:
        raise ValueError("write it as https://name or https://name:port")
    return url.removesuffix("/").lower()


def _parse_origins(origins: str) -> str:
    return ",".join(_parse_public_url(origin.strip()) for origin in origins.split(",") if origin.strip())


class AccessSettings(settings.SettingsGroup):
    """The sign-in method of this machine's users, and the address at which they reach the server.

    ``auth`` is ``local`` (one key for the owner of the machine) or ``password`` (accounts). ``public_url`` is the
    origin that the users' browsers show, for example that of a reverse proxy, and ``apps_url`` the one at which they
    reach ``apps_port``; without it, users of a ``public_url`` see no apps. A sign-in ends ``sign_in_idle_hours``
    after the last request, and ``sign_in_max_hours`` after its start. ``other_origins``, separated by commas, are those
    of other pages that may call the API.
    """

    auth: Literal["local", "password"] = "local"
    public_url: Annotated[str, AfterValidator(_parse_public_url)] | None = None
    apps_url: Annotated[str, AfterValidator(_parse_public_url)] | None = None
    other_origins: Annotated[str, AfterValidator(_parse_origins)] = ""
    sign_in_idle_hours: float = Field(default=24 * 7, gt=0)
    sign_in_max_hours: float = Field(default=24 * 30, gt=0)

    @model_validator(mode="after")
    def _check_public_url(self) -> "AccessSettings":
        if self.public_url and self.auth != "password":
            raise ValueError("SATCHEL_PUBLIC_URL: other machines may reach the server only with SATCHEL_AUTH=password")
        return self

    @property
    def page_origins(self) -> tuple[str, ...]:
        """Return the origins of other pages that may call the API."""
        return tuple(filter(None, self.other_origins.split(",")))


def data_folder() -> Path | None:
    """Return the folder in which the data stay (``SATCHEL_DATA``), or None if they are in memory (``memory``)."""
    value = MachineSettings().data
    if value == "memory":
        return None
    default = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / NAME
    return Path(value).expanduser() if value else default


def function_settings(port: int, public_url: str | None = None) -> dict[str, str]:
    """Return the environment variables that all emulated functions share.

    Variables of the user's shell (``SATCHEL_MODEL=… make run``) override the defaults, but not resource names and URLs.
    Users reach the server at ``public_url``, by default at the loopback address.
    """
    suffix = "" if port == _HTTP_PORT else f":{port}"
    url = public_url or f"http://127.0.0.1:{port}"
    origins = [f"http://{host}{suffix}" for host in ("127.0.0.1", "localhost", "[::1]")]
    fixed = {
        "SATCHEL_TABLE": NAME,
        "SATCHEL_BUCKET": f"{NAME}-files",
        "SATCHEL_RUNNER_PREFIX": RUNNER_PREFIX,
        "SATCHEL_REMOTE_RUNNER": REMOTE_RUNNER,
        "SATCHEL_MCP_CONFIG": str(Path(os.environ.get("SATCHEL_MCP_CONFIG", _DEFAULT_CONFIG)).resolve()),
        "SATCHEL_CAPABILITY_SECRET": f"{NAME}-capability",
        "SATCHEL_THINK_FUNCTION": f"{NAME}-think",
        "SATCHEL_END_SESSION_FUNCTION": f"{NAME}-end_session",
        "SATCHEL_ERASE_FUNCTION": f"{NAME}-erase",
        "SATCHEL_REFRESH_FUNCTION": f"{NAME}-refresh",
        "SATCHEL_AUTH": "local",
        "SATCHEL_PUBLIC_URL": url,
        # Tools may not be able to resolve the public name, and may not trust its certificate.
        "SATCHEL_TOOL_URL": f"http://127.0.0.1:{port}",
        "SATCHEL_SOCKET_URL": f"{socket_origin(url)}/ws",
        "SATCHEL_WEB_ORIGINS": ",".join(
            [*origins, *([public_url] if public_url else []), *AccessSettings().page_origins]
        ),
    }
    own = {name: value for name, value in os.environ.items() if name.startswith("SATCHEL_")}
    return _DEFAULTS | own | fixed


def socket_origin(url: str) -> str:
    """Return the origin of WebSockets for an http or https origin."""
    return f"ws{url.removeprefix('http')}"


def runner_settings(
    entries: Iterable[ServerEntry], functions: Mapping[str, str], server: str | None = None
) -> dict[str, str]:
    """Return a runner's environment variables: Satchel's settings, log level, proxies, and those that its entries name.

    A runner gets no other variables, because any of them may be another server's secret. ``functions`` is the result of
    ``function_settings``. ``server`` is the runner's MCP server, or None for the runner of all remote MCP servers.
    """
    of_entries = {name: os.environ[name] for entry in entries for name in entry.variables if name in os.environ}
    known = {name: value for name, value in functions.items() if name in _KNOWN_VARIABLES - {_SERVER_VARIABLE}}
    known |= {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {**of_entries, **known, **({_SERVER_VARIABLE: server} if server else {})}
