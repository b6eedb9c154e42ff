"""The deployed system's parts, put up on this machine: table, bucket, secret, functions, state machine, runners.

What the parts are stands in ``infra/definitions`` and ``infra/workflows``; here is only where they run.
"""

import json
import os
import re
import secrets
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Self

from local.aws import resources
from local.aws.cloud import LocalCloud
from local.aws.seams import status_changes
from local.runners.functions import RunnerFunction
from local.runners.pool import EnvironmentPool

ROOT = Path(__file__).parents[1]
DEFAULT_CONFIG = ROOT / "functions/servers/mcp.json"
LISTING_TENANT = "_satchel"

_NAME = "satchel"
_RUNNER_PREFIX = f"{_NAME}-run-"
_CALL_SECONDS = 900
_HEARTBEAT_SECONDS = 35
_TURN_SECONDS = 3600
_STATES = {"Think": 300, "Dispatch": 90, "Normalize": 60, "Finish": 60}
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_MIB = 1 << 20


def _settings(port: int, config: Path) -> dict[str, str]:
    """Return the environment of all functions; what the person has set stands (``SATCHEL_MODEL=… make run``)."""
    ours = {
        "SATCHEL_TABLE": _NAME,
        "SATCHEL_BUCKET": f"{_NAME}-files",
        "SATCHEL_RUNNER_PREFIX": _RUNNER_PREFIX,
        "SATCHEL_MCP_CONFIG": str(config),
        "SATCHEL_CAPABILITY_SECRET": f"{_NAME}-capability",
        "SATCHEL_AUTH": "local",
        "SATCHEL_PUBLIC_URL": f"http://127.0.0.1:{port}",
    }
    # No function URL and no Lambda payload stands between: more goes through in one piece than in the cloud.
    defaults = {"SATCHEL_MAX_BODY_BYTES": str(64 * _MIB), "SATCHEL_MAX_INLINE_BYTES": str(64 * _MIB)}
    return defaults | {name: value for name, value in os.environ.items() if name.startswith("SATCHEL_")} | ours


class System:
    """A context manager: inside, everything runs; afterwards no process is left and nothing is kept."""

    def __init__(self, port: int) -> None:
        config = Path(os.environ.get("SATCHEL_MCP_CONFIG", DEFAULT_CONFIG)).resolve()
        self.log_dir = Path(mkdtemp(prefix="satchel-logs-"))
        self._settings = _settings(port, config)
        self._config = config.read_text()
        self._stack = ExitStack()
        self._tenants: set[str] = set()
        self._lister = ThreadPoolExecutor(max_workers=4, thread_name_prefix="list-tools")

    def __enter__(self) -> Self:
        """Put everything up; the tools are being listed when this returns."""
        with ExitStack() as stack:
            cloud = stack.enter_context(LocalCloud())
            servers = list(json.loads(self._config))
            runners = self._runners(servers, cloud)
            pool = stack.enter_context(EnvironmentPool(runners, log_dir=self.log_dir))
            stack.callback(self._clear_corners)
            self._build(pool, servers)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_exception: object) -> None:
        """End everything."""
        status_changes.listen(None)
        self._lister.shutdown(wait=False, cancel_futures=True)
        self._stack.close()

    def list_tools(self) -> list[Future[Any]]:
        """Begin to ask every server for its tools, and return what will be done when each has answered."""
        from satchel.bootstrap.dispatch import refresh_tools  # noqa: PLC0415  (reads the settings when it is called)
        from satchel.bootstrap.servers import registry  # noqa: PLC0415  (the same)

        return [self._lister.submit(refresh_tools(), name) for name in registry().servers]

    def _runners(self, servers: Iterable[str], cloud: LocalCloud) -> list[RunnerFunction]:
        """Return a function for each server; it sees its settings and the variables that the configuration names."""
        named = {name: os.environ[name] for name in _VARIABLE.findall(self._config) if name in os.environ}
        shared = {**named, **self._settings, **cloud.environ}
        return [
            RunnerFunction(
                name=f"{_RUNNER_PREFIX}{server}",
                target="functions.run_tool.handler:handler",
                settings={**shared, "SATCHEL_SERVER": server},
                timeout=_CALL_SECONDS,
            )
            for server in servers
        ]

    def _build(self, pool: EnvironmentPool, servers: Iterable[str]) -> None:
        resources.create_table(self._settings["SATCHEL_TABLE"], _definition("table"))
        resources.create_bucket(self._settings["SATCHEL_BUCKET"], _definition("bucket"))
        resources.create_secret(self._settings["SATCHEL_CAPABILITY_SECRET"], _signing_keys())
        role = resources.create_role(f"{_NAME}-call")
        os.environ.update(self._settings, SATCHEL_CALL_ROLE=role)
        for server in servers:
            name = f"{_RUNNER_PREFIX}{server}"
            resources.create_function(name, self._noting(pool, name), role=role, timeout=_CALL_SECONDS)
        os.environ["SATCHEL_STATE_MACHINE"] = self._machine(role)

    def _machine(self, role: str) -> str:
        handlers = {state: import_module(f"functions.{state.lower()}.handler").handler for state in _STATES}
        names: dict[str, object] = {
            state: resources.create_function(f"{_NAME}-{state.lower()}", handler, role=role, timeout=_STATES[state])
            for state, handler in handlers.items()
        }
        status_changes.listen(lambda event: handlers["Finish"](dict(event), None))
        numbers: Mapping[str, object] = {
            "HeartbeatSeconds": _HEARTBEAT_SECONDS,
            "CallTimeoutSeconds": _CALL_SECONDS,
            "TurnTimeoutSeconds": _TURN_SECONDS,
        }
        definition = (ROOT / "infra/workflows/turn.asl.json").read_text()
        return resources.create_state_machine(f"{_NAME}-turn", definition, {**names, **numbers}, role=role)

    def _noting(self, pool: EnvironmentPool, name: str) -> Any:  # noqa: ANN401  (a Lambda handler)
        """Return the runner's handler, noting whose corners under /tmp there will be to clear."""
        pass_on = pool.handler(name)

        def handle(event: object, context: Any) -> object:  # noqa: ANN401  (a Lambda context)
            if context.tenant_id not in {None, LISTING_TENANT}:
                self._tenants.add(context.tenant_id)
            return pass_on(event, context)

        return handle

    def _clear_corners(self) -> None:
        from satchel.adapters.user_area import LocalUserArea  # noqa: PLC0415  (only when the system ends)

        for tenant in self._tenants:
            LocalUserArea().remove(tenant)


def _definition(name: str) -> Mapping[str, Any]:
    definition: Mapping[str, Any] = json.loads((ROOT / f"infra/definitions/{name}.json").read_text())
    return definition


def _signing_keys() -> str:
    return json.dumps({"newest": "k1", "k1": secrets.token_urlsafe(48)})
