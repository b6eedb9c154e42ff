"""Check every tool call, then send it to the runner of the tool's MCP server (state Dispatch of the workflow)."""

import json
import logging
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import timedelta

from satchel.contract import strip_blobs
from satchel.contract.errors import (
    Forbidden,
    InvalidArguments,
    NotAnswered,
    NotApproved,
    ToolCrashed,
    ToolError,
    ToolFailed,
    UnknownTool,
)
from satchel.domain import arguments as args
from satchel.domain.call_events import refused_start_event, start_event
from satchel.domain.calls import NOT_APPROVED_IN_TIME, Approval, Call, RunnerReport
from satchel.domain.conversation import ToolSpec
from satchel.domain.errors import Unavailable
from satchel.domain.events import NewEvent
from satchel.domain.ids import is_from_app
from satchel.domain.inputs import NOT_ANSWERED, CallInput
from satchel.domain.object_keys import call_objects_prefixes, outcome_key
from satchel.domain.quotas import TooManyRunningCalls
from satchel.domain.servers import Registry, ServerEntry
from satchel.domain.sessions import Turn
from satchel.domain.size_limits import truncate
from satchel.domain.steps import INPUT_REQUIRED, MAX_POLLS_IN_TURN, CallStep
from satchel.domain.tasks import CallTask
from satchel.domain.timing import Limits
from satchel.domain.tool_search import find_tools
from satchel.domain.tools import BUILTIN_TOOLS, FIND_TOOLS
from satchel.ports.calls import CallTasks, Reports
from satchel.ports.runners import (
    CallOrder,
    Conversation,
    CredentialSource,
    Runners,
    SchemaChecker,
    ScopedCredentials,
)
from satchel.ports.steps import CallRecords, CallStart, Steps
from satchel.ports.system import Clock
from satchel.ports.turns import Events, Inputs, TaskCallback
from satchel.services.calls.ask_approval import AskApproval
from satchel.services.calls.cancel_tasks import CancelTasks
from satchel.services.calls.record_tool_result import RecordToolResult
from satchel.services.calls.resolve_inputs import ResolvedInputs, ResolveInputs
from satchel.services.files.file_context import ListFiles
from satchel.services.side_by_side import side_by_side, start
from satchel.services.tools.tool_lists import ListTools, RefreshTools

logger = logging.getLogger(__name__)

MAX_WAIT = timedelta(seconds=3)
"""How long the function waits for a tool. Most tools end earlier, and then their turn needs no further function."""

_MAX_FOUND_CHARS = 200
_CRASHED = RunnerReport.from_error(
    ToolCrashed("The tool's environment stopped without returning a result."), duration_ms=None
)
"""The report of a continued call until its runner stores one."""


@dataclass(frozen=True)
class _PreparedCall:
    """A call that passed all checks: what is sent to the tool, and the event that announces it."""

    call: Call
    server: str
    entry: ServerEntry
    tool: ToolSpec
    resolved: ResolvedInputs
    event: NewEvent
    is_legacy: bool = False


@dataclass(frozen=True)
class DispatchTool:
    """Authorize a tool call, validate its arguments, add the user's identity and files, and send it to its runner.

    If the tool ends within ``MAX_WAIT``, record its result.
    """

    registry: Registry
    steps: Steps
    events: Events
    tools: RefreshTools
    checker: SchemaChecker
    inputs: ResolveInputs
    ask_approval: AskApproval
    credentials: CredentialSource
    runners: Runners
    list_files: ListFiles
    reports: Reports
    record: RecordToolResult
    callback: TaskCallback
    questions: Inputs
    tasks: CallTasks
    cancel_tasks: CancelTasks
    clock: Clock
    limits: Limits
    max_running_calls: int

    def __call__(self, step: CallStep) -> None:
        """Send the step's tool call to its runner. If a check rejects the call, record the error as its result.

        A call that needs the user's approval waits for the decision first. The call's task in the state machine
        succeeds when the result is recorded. For a slow tool, the runner ends the task with the error ``TOOL_ENDED``.

        Raise TooManyRunningCalls, before anything else happens, if the user's other calls must end first.
        """
        # AWS takes 40 ms for credentials. Those of a remote server depend on the call, which is read meanwhile.
        early = None if self.registry.remote or step.approval else start(lambda: self._credentials(step))
        records, _ = side_by_side(
            lambda: self.steps.read_call(step), lambda: self.events.read_last_number(step.turn_id)
        )
        call = records.call
        if call is None or records.turn is None or step.task_token is None:
            raise LookupError(f"no such call to dispatch: {step.call_id}")
        if call.result is not None:  # an earlier execution of this turn has run the call
            self.callback.succeed(step.task_token)
            return
        if step.approval and self._awaits_decision(call, records.approval):
            self.ask_approval(call, step.task_token)
            return
        questions = None if records.questions and records.questions.is_in_call else records.questions
        if questions is not None and not questions.is_answered and not questions.taken:
            self._wait_or_expire(step, questions, step.task_token)
            return
        task = self._next_poll(call, records)
        if task is not None:
            self._poll(step, task, records, records.turn, step.task_token)
            return
        try:
            if call.tool in BUILTIN_TOOLS:
                self._complete(step, step.task_token, self._run_builtin(records.turn, call))
                return
            prepared = self._prepare(records.turn, call, records)
        except ToolError as error:
            if questions is None:
                self.events.append(call.turn_id, refused_start_event(call))
            self._complete(step, step.task_token, RunnerReport.from_error(error))
        else:
            self._send(step, prepared, step.task_token, questions, early)

    def _awaits_decision(self, call: Call, approval: Approval | None) -> bool:
        """Return False if the call has started, or if the user has decided or the time for that is over.

        An earlier execution of the turn may have asked.
        """
        if call.server is not None:
            return False
        return approval is None or (approval.decision is None and self.clock.now() < approval.expires_at)

    def _wait_or_expire(self, step: CallStep, questions: CallInput, token: str) -> None:
        """Ask the user again, because an execution of this turn has ended during the wait. Fail a call that is late."""
        if self.clock.now() < questions.expires_at:
            self.callback.fail(token, INPUT_REQUIRED)
        else:
            self._complete(step, token, RunnerReport.from_error(NotAnswered(NOT_ANSWERED)))

    def _next_poll(self, call: Call, records: CallRecords) -> CallTask | None:
        """Return the task that works on the call and is to be polled now, or None."""
        if call.server is None:  # the call has not started
            return None
        report = self.reports.read(call)
        task = records.task
        if task is None and report and report.task:
            ids = call.model_dump(include={"call_id", "turn_id", "server"})
            task = CallTask(task_id=report.task.task_id, started_at=self.clock.now(), **ids)
        return task and task.model_copy(update={"polls": task.polls + 1})

    def _poll(self, step: CallStep, task: CallTask, records: CallRecords, turn: Turn, token: str) -> None:
        """Send a poll of the call's task to the runner, with the answers to its questions, if any."""
        call, now = records.call, self.clock.now()
        if call is None:
            raise LookupError(f"no such call to poll: {task.call_id}")
        answered = records.questions if records.questions and not records.questions.taken else None
        others = [each.polls for each in self.tasks.list(call.turn_id) if each.call_id != call.call_id]
        if task.polls + sum(others) > MAX_POLLS_IN_TURN:
            self.cancel_tasks.cancel(turn, task)
            self._complete(step, token, RunnerReport.from_error(task.timed_out(now)))
            return
        self.tasks.save(task)
        try:
            server, entry, tool = self._find_tool(turn, call, records.tools_version)
        except ToolError as error:
            self.cancel_tasks.cancel(turn, task)
            self._complete(step, token, RunnerReport.from_error(error))
            return
        credentials = self._credentials(step, Conversation(call.session_id, server))
        if answered is None:
            self._expect_crash(call)
        else:
            self._continue(call, answered)
        event = start_event(call, call.injected)
        prepared = _PreparedCall(call, server, entry, tool, ResolvedInputs(call.injected or {}), event)
        poll = {
            "task_id": task.task_id,
            "polls": task.polls,
            "earlier_ms": round((now - task.started_at) / timedelta(milliseconds=1)),
            "input_round": records.questions.round if records.questions else 0,
            "responses": answered.responses if answered else {},
            "writes": False,
        }
        self._run(step, server, self._order(prepared, token, credentials).model_copy(update=poll))

    def _send(
        self,
        step: CallStep,
        prepared: _PreparedCall,
        token: str,
        questions: CallInput | None,
        early: Future[ScopedCredentials] | None,
    ) -> None:
        """Store that the call starts or continues, and send it to its runner. Raise TooManyRunningCalls."""
        call = prepared.call
        conversation = Conversation(call.session_id, prepared.server) if prepared.entry.is_remote else None
        credentials = early or start(lambda: self._credentials(step, conversation))
        started, continued = None, {}
        if questions is not None:
            self._continue(call, questions)
            continued = {"input_round": questions.round, "responses": questions.responses}
            continued |= {"request_state": questions.state}
        else:
            outcome, slot = self.steps.start_call(call, prepared.event, self.max_running_calls)
            if outcome is CallStart.TOO_MANY_CALLS:
                raise TooManyRunningCalls(f"{call.user} runs {self.max_running_calls} tool calls")
            if outcome is CallStart.TURN_ENDED:
                logger.info("the turn ended before the call", extra={"call_id": call.call_id})
                return
            if outcome is CallStart.STARTED:
                started = call.model_copy(update={"slot": slot})
        order = self._order(prepared, token, credentials.result()).model_copy(update=continued)
        self._run(step, prepared.server, order, started)

    def _credentials(self, step: CallStep, conversation: Conversation | None = None) -> ScopedCredentials:
        prefixes = call_objects_prefixes(step.user, step.call_id)
        key = outcome_key(step.user, step.turn_id, step.call_id)
        return self.credentials.for_call(step.call_id, prefixes, key, conversation)

    def _run(self, step: CallStep, server: str, order: CallOrder, started: Call | None = None) -> None:
        """Let the runner execute a call. If it ends soon, record its result and complete the task that waits for it.

        ``started`` is the call as it is stored, if this is its first run.
        """
        try:
            answer = self.runners.run(server, order.model_copy(update={"waits_until": self.clock.now() + MAX_WAIT}))
        except ToolCrashed as error:
            self._complete(step, order.task_token, self.reports.read(step) or RunnerReport.from_error(error))
            return
        except TimeoutError:
            self._complete_if_ended(step, order.task_token)
            return
        if answer and answer.report and started and not answer.has_events and not answer.report.stores_more:
            self.record.at_once(started, answer.report)
            self.callback.succeed(order.task_token)
        elif answer:
            self._complete(step, order.task_token)

    def _complete_if_ended(self, step: CallStep, token: str) -> None:
        """Complete a call that has ended although no answer of its runner has arrived, as on a slow network.

        A runner that ends in time leaves the result to Dispatch. One that ends later, or with a question or a task,
        ends the task of the state machine itself. If both do so, the second has no effect.
        """
        report = self.reports.read(step)
        if report and not report.asks and not report.task and report != _CRASHED:
            self._complete(step, token)

    def _continue(self, call: Call, questions: CallInput) -> None:
        """Store that the answers are sent. Replace the report with the questions, in case the tool now crashes."""
        self._expect_crash(call)
        self.questions.take(questions)

    def _expect_crash(self, call: Call) -> None:
        """Replace the report of the previous run, which must not be read again if the next run stores none."""
        self.reports.save(call, _CRASHED)

    def _complete(self, step: CallStep, token: str, report: RunnerReport | None = None) -> None:
        self.record(step, report)
        self.callback.succeed(token)

    def _run_builtin(self, turn: Turn, call: Call) -> RunnerReport:
        """Run a built-in tool in this process, not in a runner. Check and record the call like all other tool calls."""
        tool = BUILTIN_TOOLS[call.tool]
        if tool != FIND_TOOLS:
            self._check_turn_tools(turn, call, tool.server)
        arguments = args.parse(call.arguments)
        if problems := self.checker.find_problems(tool.input_schema, arguments):
            raise InvalidArguments(problems)
        report = self._find_tools(turn, arguments["query"]) if tool == FIND_TOOLS else self.list_files(call, arguments)
        sent = call.model_copy(update={"injected": arguments, "server": tool.server})
        self.steps.start_call(sent, start_event(call, arguments), None)
        return report

    def _find_tools(self, turn: Turn, query: str) -> RunnerReport:
        """Return the tools that the turn may call and that match a query best. The next model request offers them."""
        found = find_tools(ListTools(self.registry, self.tools.lists).tools(turn.groups, turn.tools), query)
        tools = [
            {"tool": tool.full_name, "description": truncate(tool.description, _MAX_FOUND_CHARS)} for tool in found
        ]
        return RunnerReport(results={"tools": tools})

    def _prepare(self, turn: Turn, call: Call, records: CallRecords) -> _PreparedCall:
        server, entry, tool = self._find_tool(turn, call, records.tools_version)
        if entry.needs_approval_of_app(tool) if turn.is_from_app else entry.needs_approval(tool):
            call = _approved(call, records.approval)
        arguments = args.inject_identity(tool, args.parse(call.arguments), call.user)
        arguments = args.fill_content(tool, arguments)
        arguments = args.fill_original_names(tool, arguments, str)  # the schema may require the files' original names
        if problems := self.checker.find_problems(tool.input_schema, arguments):
            raise InvalidArguments(problems)
        resolved = self.inputs(call, tool, entry, arguments, entry.limits_with_defaults(self.limits).max_seconds)
        sent = {
            "injected": strip_blobs(arguments),
            "unresolved": resolved.unresolved,
            "server": server,
            "bytes_in": resolved.bytes,
            "inputs": resolved.versions,
        }
        is_legacy = not entry.is_remote and self.tools.is_legacy(server, records.tools_version)
        app_uri = None if turn.is_from_app else tool.app_uri
        event = start_event(call, arguments, app_uri)
        return _PreparedCall(call.model_copy(update=sent), server, entry, tool, resolved, event, is_legacy)

    def _find_tool(self, turn: Turn, call: Call, tools_version: int) -> tuple[str, ServerEntry, ToolSpec]:
        """Return the server's name, its configuration, and the tool. Raise UnknownTool, Forbidden or ToolFailed."""
        place = self.registry.split_tool_name(call.tool)
        if place is None:
            raise UnknownTool(call.tool, nearest=self._similar_tools(turn, call.tool))
        server, name = place
        entry = self.registry.servers[server]
        if server not in self.registry.visible_to(turn.groups):
            raise Forbidden(call.tool)
        try:
            tools = {tool.name: tool for tool in self.tools.get_with_tool(server, name, tools_version)}
        except Unavailable as error:
            raise ToolFailed(error.message) from error
        if name not in tools:
            raise UnknownTool(
                call.tool, nearest=args.find_similar_names(call.tool, [t.full_name for t in tools.values()])
            )
        if not (tools[name].for_app if turn.is_from_app else tools[name].for_model):
            raise Forbidden(call.tool)
        self._check_turn_tools(turn, call, server)
        return server, entry, tools[name]

    @staticmethod
    def _check_turn_tools(turn: Turn, call: Call, server: str) -> None:
        """Raise Forbidden if the user limited the turn to certain tools and the called tool is not one of them."""
        if turn.tools is not None and not {server, call.tool} & set(turn.tools):
            raise Forbidden(call.tool)

    def _similar_tools(self, turn: Turn, name: str) -> list[str]:
        available = ListTools(self.registry, self.tools.lists).tools(turn.groups, turn.tools)
        return args.find_similar_names(name, [tool.full_name for tool in available])

    def _order(self, prepared: _PreparedCall, token: str, credentials: ScopedCredentials) -> CallOrder:
        call, tool, entry, resolved = prepared.call, prepared.tool, prepared.entry, prepared.resolved
        return CallOrder(
            user=call.user,
            session_id=call.session_id,
            turn_id=call.turn_id,
            call_id=call.call_id,
            tool=tool.name,
            method=tool.method,
            arguments=resolved.arguments,
            input_schema=tool.input_schema if entry.is_remote and tool.has_header_arguments else None,
            output_schema=tool.output_schema,
            inputs=resolved.inputs,
            embedded=resolved.embedded,
            transfers_files=entry.file_transfer,
            writes=entry.may_write(tool),
            collect=entry.collect == "all",
            task_token=token,
            credentials=credentials,
            limits=entry.limits_with_defaults(self.limits),
            as_task=tool.needs_task,
            is_legacy=prepared.is_legacy,
            asks_while_running=tool.asks_while_running,
            may_repeat=tool.may_repeat,
            app_uri=None if is_from_app(call.turn_id) else tool.app_uri,
            from_app=is_from_app(call.turn_id),
            app_title=tool.title,
        )


def _approved(call: Call, approval: Approval | None) -> Call:
    """Return the call with the arguments that the user approved. Raise NotApproved if the user did not approve."""
    if approval is None or approval.decision is None:
        raise NotApproved(NOT_APPROVED_IN_TIME)
    decision = approval.decision
    if not decision.approved:
        reason = f": {decision.reason}" if decision.reason else ""
        raise NotApproved(f"The user denied the call{reason}")
    if decision.digest != call.digest:
        raise NotApproved("The user approved a call with other arguments")
    if decision.arguments is None:
        return call
    return call.model_copy(update={"arguments": json.dumps(decision.arguments)})
