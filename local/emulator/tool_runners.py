"""The emulated functions that run tools: one for each local MCP server, and one for all remote MCP servers."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from infra import limits
from local.emulator import settings
from local.emulator.runners.context import Handler, LambdaContext
from local.emulator.runners.fork_server import PRELOAD, ForkServer
from local.emulator.runners.functions import RunnerFunction
from local.emulator.runners.pool import EnvironmentPool
from local.emulator.runners.wait_queue import InvocationListener, NullListener
from local.emulator.workspaces import Workspaces
from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.process import registry
from satchel.contract.errors import Busy, ToolError
from satchel.domain.calls import RunnerReport, runner_crash
from satchel.domain.errors import Unavailable
from satchel.domain.events import NewEvent
from satchel.domain.ids import UserName
from satchel.domain.steps import TOOL_ENDED
from satchel.ports.calls import Reports
from satchel.ports.runners import CallOrder
from satchel.ports.turns import Events, TaskCallback, TaskGone

LISTING_TENANT = "_satchel"
"""The tenant id of invocations that list tools. This tenant has no workspace."""

logger = logging.getLogger(__name__)


def runner_functions(
    function_settings: Mapping[str, str], environ: Mapping[str, str], scratch: Path, state: Path
) -> list[RunnerFunction]:
    """Return one function for each MCP server that runs on this machine, and one for all remote MCP servers.

    ``environ`` contains the variables that connect a runner to the emulated AWS. ``scratch`` is the runners' folder for
    temporary files, and ``state`` that for the data that servers keep.
    """
    known = registry()
    runners = {
        f"{settings.RUNNER_PREFIX}{server}": settings.runner_settings([entry], function_settings, server)
        for server, entry in known.servers.items()
        if not entry.is_remote
    }
    if known.remote:
        entries = [known.servers[server] for server in known.remote]
        runners[settings.REMOTE_RUNNER] = settings.runner_settings(entries, function_settings)
    return [
        RunnerFunction(
            name=name,
            target="functions.run_tool.handler:handler",
            settings={**values, **environ, "TMPDIR": str(scratch), "SATCHEL_STATE_FOLDER": str(state)},
            timeout=limits.RUNNER_SECONDS,
        )
        for name, values in runners.items()
    ]


def create_pool(runners: Sequence[RunnerFunction], logs: Path, fork_server: ForkServer | None) -> EnvironmentPool:
    """Return the pool of processes in which the runners run. The processes write their output to ``logs``."""
    machine = settings.MachineSettings()
    return EnvironmentPool(
        runners,
        log_dir=logs,
        max_environments=machine.max_environments,
        max_wait_seconds=machine.max_wait_seconds,
        listener_for=listener_for,
        fork_server=fork_server or ForkServer(PRELOAD),
    )


def tracked_handler(pool: EnvironmentPool, name: str, workspaces: Workspaces) -> Handler:
    """Return the runner's handler, which also registers the user's workspace to be removed when the emulator stops."""
    invoke = pool.handler(name)

    def handle(event: object, context: LambdaContext) -> object:
        if context.tenant_id is not None and context.tenant_id != LISTING_TENANT:
            workspaces.add(UserName(context.tenant_id))
        return invoke(event, context)

    return handle


@dataclass(frozen=True)
class CallListener:
    """Acts for a tool call whose runner cannot do so: no runner is free yet, or the runner has ended.

    Implements ``InvocationListener``. While the call waits, it sends heartbeats. Without heartbeats, the state machine
    would consider the runner dead.
    """

    order: CallOrder
    callback: TaskCallback
    reports: Reports
    events: Events

    def keep_alive(self) -> bool:
        """Send a heartbeat. Return False if the call's task has ended, for example because the user canceled it."""
        try:
            self.callback.heartbeat(self.order.task_token)
        except TaskGone:
            return False
        except OSError:
            logger.warning("A heartbeat failed; the next one may succeed", exc_info=True)
        return True

    def on_wait(self) -> None:
        """Publish a progress event that says what the call waits for."""
        self._publish_progress("Waiting for a free runner")

    def on_start(self) -> None:
        """Publish a progress event that replaces the one of ``on_wait``."""
        self._publish_progress("Starting")

    def on_timeout(self, reason: str) -> None:
        """Store a ``Busy`` error as the call's report, and complete the call's task, as the runner would do."""
        self._fail(Busy(reason))

    def on_failure(self, reason: str) -> None:
        """Store a ``ToolCrashed`` error as the call's report, unless the runner completed the call before it ended."""
        if self.keep_alive():
            self._fail(runner_crash(reason))

    def _fail(self, error: ToolError) -> None:
        self.reports.save(self.order, RunnerReport.from_error(error))
        self.callback.fail(self.order.task_token, TOOL_ENDED)

    def _publish_progress(self, message: str) -> None:
        """Publish the event. Progress is best effort: a failed write never fails the call."""
        unknown = dict.fromkeys(("progress", "total", "percentage"))
        payload = {"call_id": self.order.call_id, **unknown, "message": message}
        try:
            self.events.append(self.order.turn_id, NewEvent(type="tool_progress", payload=payload))
        except Unavailable:
            logger.warning("A progress event was not published", exc_info=True)


def listener_for(event: object) -> InvocationListener:
    """Return the listener of a tool call. Other events have no task to complete, so their listener does nothing."""
    if not isinstance(event, dict) or event.get("action") != "call":
        return NullListener()
    ports = use_cases().ports
    return CallListener(CallOrder.model_validate(event), ports.callback, ports.reports, ports.events)
