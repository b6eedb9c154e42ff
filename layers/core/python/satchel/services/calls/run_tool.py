"""Run one tool call where foreign code may run (function run_tool): claim, fetch, call, collect, hand over."""

import logging
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from satchel.contract import ContractError, ToolError, ToolFailed, build_model_view, normalize
from satchel.domain.calls import RunnerReport
from satchel.ports.calls import CallClaims
from satchel.ports.runners import ArtifactOpener, CallOrder, FileLister, FileState, InputFetcher
from satchel.ports.storage import FileStore
from satchel.ports.system import Clock
from satchel.ports.tool_client import ToolClient, ToolResult, Workspaces
from satchel.ports.turns import Events, TaskCallback
from satchel.services.calls.heartbeat import Heartbeat
from satchel.services.calls.listen_to_tool import ListenToTool
from satchel.services.calls.runner_report import build_report, full_results_file, store_report
from satchel.services.calls.store_artifacts import StoreArtifacts, find_undeclared_artifacts
from satchel.services.calls.violations import Policy, Violations

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class CallPorts:
    """What reaches AWS with this call's credentials and no further."""

    store: FileStore
    events: Events
    claims: CallClaims


@dataclass(frozen=True)
class RunTool:
    """One runner: one server, warm between calls of the same person."""

    client: ToolClient
    workspaces: Workspaces
    fetch: InputFetcher
    open_artifact: ArtifactOpener
    list_files: FileLister
    callback: TaskCallback
    clock: Clock
    new_claim: Callable[[], str]
    heartbeat_seconds: float
    max_file_bytes: int
    violation_policy: Policy = "note"

    def __call__(self, order: CallOrder, ports: CallPorts) -> None:
        """Run the call and end its task. Delivered twice, it runs once; cancelled, it leaves nothing running."""
        if not ports.claims.claim(order.turn_id, order.call_id, self.new_claim()):
            logger.info("call was claimed before", extra={"call_id": order.call_id})
            return
        with Heartbeat(self.callback, order.task_token, self.heartbeat_seconds) as pulse:
            outcome = self._outcome(order, ports, pulse)
            if pulse.gone:
                logger.info("call was ended from outside", extra={"call_id": order.call_id})
                return
            store_report(ports.store, order.outcome_key, outcome)
        self.callback.done(order.task_token)

    def _outcome(self, order: CallOrder, ports: CallPorts, pulse: Heartbeat) -> RunnerReport:
        started = self.clock.monotonic()
        try:
            outcome = self._run(order, ports, pulse, started)
        except ToolError as error:
            outcome = RunnerReport.of_error(error)
        except ContractError as error:
            outcome = RunnerReport.of_error(ToolFailed(f"The tool's answer cannot be read: {error}"))
        except Exception as error:
            # The task must end with a word whatever went wrong here; the trace goes to the log.
            logger.exception("the runner failed", extra={"call_id": order.call_id})
            outcome = RunnerReport.of_error(ToolFailed(f"The tool could not be run: {error}"))
        outcome.duration_ms = round(1000 * (self.clock.monotonic() - started))
        return outcome

    def _run(self, order: CallOrder, ports: CallPorts, pulse: Heartbeat, started: float) -> RunnerReport:
        with ExitStack() as stack:
            workspace = self._home(order, stack)
            before = self._files(order, workspace)
            violations = Violations(order, self.violation_policy)
            answer = self._call(
                order, ListenToTool(ports.events, self.clock, order, violations, started), pulse, workspace
            )
            output = normalize(answer.raw, output_schema=order.output_schema)
            violations.check(failed=output.is_error)
            made = (
                find_undeclared_artifacts(output, workspace, before, self._files(order, workspace)) if workspace else []
            )
            view = build_model_view(output, files=[])
            keep = StoreArtifacts(ports.store, self.open_artifact, self.max_file_bytes)
            files, problems = keep(order, workspace, output, [*made, *full_results_file(order.tool, output, view)])
        outcome = build_report(output, view, files, problems, violations.noted())
        return outcome.model_copy(update={"tools_changed": answer.tools_changed})

    def _files(self, order: CallOrder, workspace: Path | None) -> Mapping[str, FileState]:
        return self.list_files(workspace) if workspace and order.writes and order.collect else {}

    def _home(self, order: CallOrder, stack: ExitStack) -> Path | None:
        """A tool that neither writes nor reads files needs no corner, and so waits for nobody who has it."""
        if not order.writes and not order.inputs:
            return None
        workspace = stack.enter_context(self.workspaces.hold(order.user, order.session_id))
        self.fetch(order.inputs, workspace)
        return workspace

    def _call(self, order: CallOrder, listen: ListenToTool, pulse: Heartbeat, workspace: Path | None) -> ToolResult:
        with self.client.call(order.tool, order.arguments, workspace, writes=order.writes) as running:
            pulse.on_task_end(running.kill)
            try:
                return listen(running)
            finally:
                pulse.on_task_end(None)
