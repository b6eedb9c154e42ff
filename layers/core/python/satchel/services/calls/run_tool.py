"""Run one tool call in a runner function: claim the call, fetch its input files, call the tool, store the result."""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from satchel.contract import (
    ContractError,
    ToolCrashed,
    ToolError,
    ToolFailed,
    ToolOutput,
    build_model_view,
    normalize,
    scrub_output,
)
from satchel.domain.calls import RunnerReport
from satchel.domain.ids import UserName
from satchel.domain.inputs import RequestedInput, UnsupportedQuestion
from satchel.domain.object_keys import input_path
from satchel.domain.steps import INPUT_REQUIRED, POLL_ERRORS, TOOL_ENDED
from satchel.domain.tasks import ReportedTask, seconds_to_poll
from satchel.ports.calls import CallClaims, EventReporter, Reports
from satchel.ports.runners import ArtifactOpener, CallOrder, FileLister, FileState, InputFetcher, RunnerAnswer
from satchel.ports.storage import FileStore
from satchel.ports.system import Clock
from satchel.ports.tool_client import (
    Answers,
    AppRequest,
    CannotAsk,
    FileTransfer,
    InputRequired,
    ServerSessions,
    TaskRunning,
    ToolClient,
    ToolResult,
    Workspaces,
)
from satchel.ports.turns import TaskCallback
from satchel.services.calls.ask_during_call import AskDuringCall
from satchel.services.calls.embed_files import INPUTS, embed_files
from satchel.services.calls.file_sizes import check_file_sizes
from satchel.services.calls.heartbeat import Heartbeat
from satchel.services.calls.listen_to_tool import ListenResult, ListenToTool
from satchel.services.calls.runner_report import build_report, full_output_files
from satchel.services.calls.store_app import store_app
from satchel.services.calls.store_artifacts import StoreArtifacts, find_undeclared_artifacts
from satchel.services.calls.violations import Policy, Violations

logger = logging.getLogger(__name__)

RESTART = "satchel/restart"
"""The key of the question whether a tool that could not ask may start again."""

_RESTART_QUESTION = {
    "mode": "form",
    "message": "The tool stopped because it could not ask you its question. Satchel can start it again, in a way in "
    "which it can ask. If it has already changed something, this may happen twice. Start it again?",
    "requestedSchema": {"type": "object", "properties": {}},
}
_NOT_RESTARTED = "The tool stopped because it could not ask the user its question, and the user did not start it again."


@dataclass(frozen=True)
class CallPorts:
    """The storage ports for one tool call. Their credentials write only the data of this call.

    ``sessions`` is None unless the server is remote.
    """

    store: FileStore
    reports: Reports
    events: EventReporter
    claims: CallClaims
    sessions: ServerSessions | None = None


@dataclass(frozen=True)
class RunTool:
    """Run the tool calls of one MCP server. The server's process stays warm between calls of the same user.

    ``older_client`` calls the same server with the older MCP handshake, for tools that can ask the user only with it.
    ``find_problems`` is the method of a ``SchemaChecker``. ``open_state`` returns the folder in which the server keeps
    a user's data, or raises ToolFailed if it is too large; it is None unless the server keeps some. A tool that asks
    the user while it runs waits at most ``input_seconds`` for each answer.
    """

    client: ToolClient
    older_client: ToolClient
    workspaces: Workspaces
    fetch_inputs: InputFetcher
    open_artifact: ArtifactOpener
    list_files: FileLister
    find_problems: Callable[[dict[str, Any], dict[str, Any]], list[str]]
    callback: TaskCallback
    clock: Clock
    new_claim: Callable[[], str]
    heartbeat_seconds: float
    max_file_bytes: int
    input_seconds: float
    violation_policy: Policy = "note"
    open_state: Callable[[UserName], Path] | None = None

    def __call__(self, order: CallOrder, ports: CallPorts) -> RunnerAnswer | None:
        """Run a call and store its report. Return it, too, if the call has ended and its sender still waits for that.

        Otherwise complete the call's workflow task. Do nothing if the call is already claimed. If the task ends early,
        for example because the user canceled the turn, kill the tool.
        """
        if not ports.claims.claim(order.call_id, self.new_claim(), order.run):
            logger.info("call is already claimed", extra={"call_id": order.call_id})
            return None
        is_stopped = partial(ports.claims.is_stopped, order.call_id)
        with Heartbeat(self.callback, order.task_token, self.heartbeat_seconds, is_stopped) as heartbeat:
            report = self._run_or_fail(order, ports, heartbeat)
            if heartbeat.task_ended:
                logger.info("call was ended outside of the runner", extra={"call_id": order.call_id})
                return None
            ports.reports.save(order, report)
        if report.asks:
            self.callback.fail(order.task_token, INPUT_REQUIRED)
        elif report.task:
            self.callback.fail(order.task_token, POLL_ERRORS[report.task.wait_seconds])
        elif order.waits_until and self.clock.now() < order.waits_until:
            return RunnerAnswer(report=report, has_events=ports.events.has_reported)
        else:
            self.callback.fail(order.task_token, TOOL_ENDED)
        return None

    def _run_or_fail(self, order: CallOrder, ports: CallPorts, heartbeat: Heartbeat) -> RunnerReport:
        started = self.clock.monotonic()
        try:
            report = self._run(order, ports, heartbeat, started)
        except ToolError as error:
            report = RunnerReport.from_error(error)
            if order.asks_while_running and isinstance(error, ToolFailed):
                # An update of the server may have changed the way in which the tool asks.
                report.asks_while_running = False
        except ContractError as error:
            report = RunnerReport.from_error(ToolFailed(f"The tool's result is invalid: {error}"))
        except Exception as error:
            # Catch everything: without a report, the task would wait until its timeout.
            logger.exception("the runner failed", extra={"call_id": order.call_id})
            report = RunnerReport.from_error(ToolFailed(f"The tool could not be run: {error}"))
        report.duration_ms = order.earlier_ms + round(1000 * (self.clock.monotonic() - started))
        return report

    def _run(self, order: CallOrder, ports: CallPorts, heartbeat: Heartbeat, started: float) -> RunnerReport:
        _check_restart(order)
        with ExitStack() as stack:
            workspace = self._open_workspace(order, stack)
            before = self._list_files(order, workspace)
            transfer = self._file_transfer(order, workspace, stack)
            violations = Violations(order, self.violation_policy)
            ask = AskDuringCall(ports.events, ports.claims, self.clock, order, self.input_seconds)
            listen = ListenToTool(ports.events, self.clock, order, violations, ask, started)
            is_older = order.asks_while_running or RESTART in order.responses
            try:
                result = self._call(order, ports, listen, heartbeat, workspace, transfer, is_older=is_older)
                if isinstance(result, CannotAsk) and order.may_repeat:
                    is_older = True
                    result = self._call(order, ports, listen, heartbeat, workspace, transfer, is_older=is_older)
            except (ToolFailed, ToolCrashed) as error:
                check_file_sizes(error.message, before, self._list_files(order, workspace), self.max_file_bytes)
                raise
            if isinstance(result, CannotAsk):
                return _ask_to_restart(order, result)
            if isinstance(result, TaskRunning):
                return RunnerReport(task=_reported_task(order, result))
            if isinstance(result, InputRequired):
                asking = result.task and _reported_task(order, result.task)
                return _report_questions(result).model_copy(update={"task": asking})
            output = scrub_output(normalize(result.raw, output_schema=order.output_schema))
            after = self._list_files(order, workspace)
            if output.is_error:
                check_file_sizes(str(output.results), before, after, self.max_file_bytes)
            output = _checked(output, violations)
            view = build_model_view(output, files=[])
            undeclared = [] if output.is_error else full_output_files(order.tool, output, view)
            if workspace and order.collect:
                undeclared = [*find_undeclared_artifacts(output, workspace, before, after), *undeclared]
            store = StoreArtifacts(ports.store, self.open_artifact, self.max_file_bytes)
            files, problems = store(order, workspace, output, undeclared)
            if result.app:
                app, problem = store_app(ports.store, order, result.app)
                files, problems = [*app, *files], [*problems, *problem]
        meta_data = {**violations.meta_data(), **self._misfit(order, result)}
        report = build_report(output, view, files, problems, meta_data)
        learned = {"asks_while_running": True} if is_older else {}
        return report.model_copy(update={"tools_changed": result.tools_changed, **learned})

    def _misfit(self, order: CallOrder, result: ToolResult) -> dict[str, Any]:
        """Return the meta data that says how the structured result violates the output schema of the tool, if any."""
        content = result.raw.get("structuredContent")
        if order.output_schema is None or result.raw.get("isError"):
            return {}
        if not isinstance(content, dict):
            return {"output_schema_problems": ["the result has no structured content"]}
        problems = self.find_problems(order.output_schema, content)
        return {"output_schema_problems": problems} if problems else {}

    def _list_files(self, order: CallOrder, workspace: Path | None) -> Mapping[str, FileState]:
        return self.list_files(workspace) if workspace and order.writes else {}

    def _open_workspace(self, order: CallOrder, stack: ExitStack) -> Path | None:
        """Lock the user's workspace and fetch the input files into it. Return None if the call needs no workspace."""
        if not order.writes and not order.inputs and not order.transfers_files:
            return None
        workspace = stack.enter_context(self.workspaces.hold(order.user, order.session_id))
        self.fetch_inputs(order.inputs, workspace)
        return workspace

    def _file_transfer(self, order: CallOrder, workspace: Path | None, stack: ExitStack) -> FileTransfer | None:
        """Return the files that may move outside of MCP messages. The received ones are deleted after the call."""
        if not order.transfers_files or workspace is None:
            return None
        sizes = {each.name: each.size for each in order.inputs}
        transfer = FileTransfer(
            uploads=frozenset(name for name, form in order.embedded.items() if form == "upload"),
            inputs={input_path(order.user, name): name for name in sizes},
            open_input=lambda name: self.open_artifact(f"{INPUTS}/{name}", workspace, sizes[name]),
            workspace=workspace,
            max_bytes=self.max_file_bytes,
            received=[],
        )
        stack.callback(_remove, transfer.received)
        return transfer

    def _call(
        self,
        order: CallOrder,
        ports: CallPorts,
        listen: ListenToTool,
        heartbeat: Heartbeat,
        workspace: Path | None,
        transfer: FileTransfer | None,
        *,
        is_older: bool,
    ) -> ListenResult:
        client = self.older_client if is_older else self.client
        is_restarted = RESTART in order.responses
        with client.call(
            order.tool,
            embed_files(order, workspace, self.open_artifact),
            workspace,
            writes=order.writes,
            state=self.open_state(order.user) if self.open_state else None,
            method=order.method,
            input_schema=order.input_schema,
            sessions=None if is_older else ports.sessions,  # the stored session has the newer handshake
            answers=Answers(order.responses, order.request_state) if order.input_round and not is_restarted else None,
            as_task=order.as_task,
            task_id=order.task_id,
            is_legacy=order.is_legacy,
            can_ask=True,
            app=AppRequest(order.app_uri) if order.app_uri or order.from_app else None,
            files=transfer,
        ) as running:
            heartbeat.on_task_end(running.kill)
            try:
                return listen(running)
            finally:
                heartbeat.on_task_end(None)


def _ask_to_restart(order: CallOrder, stopped: CannotAsk) -> RunnerReport:
    """Return the question whether to start the tool again: only the user can know whether that does harm."""
    if order.input_round or order.task_id is not None:
        raise ToolFailed(stopped.message)
    request = {"method": "elicitation/create", "params": _RESTART_QUESTION}
    return RunnerReport(asks=RequestedInput.parse({RESTART: request}, None))


def _remove(paths: Sequence[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _check_restart(order: CallOrder) -> None:
    """Raise ToolFailed if the user has refused to start the tool again."""
    if order.responses.get(RESTART, {"action": "accept"})["action"] != "accept":
        raise ToolFailed(_NOT_RESTARTED)


def _reported_task(order: CallOrder, running: TaskRunning) -> ReportedTask:
    return ReportedTask(task_id=running.task_id, wait_seconds=seconds_to_poll(order.polls, running.poll_seconds))


def _report_questions(result: InputRequired) -> RunnerReport:
    try:
        return RunnerReport(asks=RequestedInput.parse(result.requests, result.state))
    except UnsupportedQuestion as error:
        raise ToolFailed(f"The tool cannot continue: {error}") from error


def _checked(output: ToolOutput, violations: Violations) -> ToolOutput:
    """Return the output. If isolation violations fail the call, return an error with the output's files instead."""
    try:
        violations.check(failed=output.is_error)
    except ToolError as error:
        files = {name: getattr(output, name) for name in ("artifacts", "deferred_artifacts", "problems")}
        return ToolOutput.from_error(error).model_copy(update=files)
    return output
