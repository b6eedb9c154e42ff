"""Check every tool call, then send it to the runner of the tool's MCP server (state Dispatch of the workflow)."""

import json
from dataclasses import dataclass
from typing import Any

from satchel.contract import strip_blobs
from satchel.contract.errors import Forbidden, InvalidArguments, NotApproved, ToolError, ToolFailed, UnknownTool
from satchel.domain import arguments as args
from satchel.domain.calls import Call, RunnerReport
from satchel.domain.conversation import ToolSpec
from satchel.domain.errors import Unavailable
from satchel.domain.events import NewEvent
from satchel.domain.object_keys import call_objects_prefixes, outcome_key
from satchel.domain.quotas import TooManyRunningCalls
from satchel.domain.servers import Registry, ServerEntry
from satchel.domain.sessions import Turn
from satchel.domain.size_limits import strip_and_truncate
from satchel.domain.steps import CallStep
from satchel.domain.timing import Limits
from satchel.domain.tools import BUILTIN_TOOLS
from satchel.ports.calls import Calls
from satchel.ports.quotas import QuotaCounts
from satchel.ports.runners import ArgumentChecker, CallOrder, CredentialSource, Runners
from satchel.ports.storage import FileStore
from satchel.ports.system import Clock
from satchel.ports.turns import Approvals, Events, TaskCallback, Turns
from satchel.services.calls.resolve_inputs import ResolvedInputs, ResolveInputs
from satchel.services.calls.runner_report import store_report
from satchel.services.files.file_context import ListFiles
from satchel.services.tools.tool_lists import ListTools, RefreshTools


@dataclass(frozen=True)
class DispatchTool:
    """Authorize a tool call, validate its arguments, add the user's identity and files, and send it to its runner."""

    registry: Registry
    turns: Turns
    calls: Calls
    approvals: Approvals
    events: Events
    tools: RefreshTools
    checker: ArgumentChecker
    inputs: ResolveInputs
    credentials: CredentialSource
    runners: Runners
    list_files: ListFiles
    store: FileStore
    callback: TaskCallback
    limits: Limits
    quota_counts: QuotaCounts
    max_running_calls: int
    clock: Clock

    def __call__(self, step: CallStep) -> None:
        """Send the step's tool call to its runner. If a check rejects the call, store the error as its report.

        Raise TooManyRunningCalls, before anything else happens, if the user's other calls must end first.
        """
        call = self.calls.get(step.turn_id, step.call_id)
        turn = self.turns.get(step.session_id, step.turn_id)
        if call is None or turn is None or step.task_token is None:
            raise LookupError(f"no such call to dispatch: {step.call_id}")
        try:
            if call.tool in BUILTIN_TOOLS:
                self._complete(call, step.task_token, self._run_builtin(turn, call))
                return
            if not self.quota_counts.start_call(call.user, call.call_id, self.max_running_calls, self.clock.now()):
                raise TooManyRunningCalls(f"{call.user} runs {self.max_running_calls} tool calls")
            server, order = self._prepare(turn, call, step.task_token)
        except ToolError as error:
            self._publish_start(call, args.parse_or_text(call.arguments))
            self._complete(call, step.task_token, RunnerReport.from_error(error))
        else:
            self.runners.start(server, order)

    def _complete(self, call: Call, token: str, report: RunnerReport) -> None:
        store_report(self.store, outcome_key(call.user, call.turn_id, call.call_id), report)
        self.callback.succeed(token)

    def _run_builtin(self, turn: Turn, call: Call) -> RunnerReport:
        """Run a built-in tool in this process, not in a runner. Check and record the call like all other tool calls."""
        tool = BUILTIN_TOOLS[call.tool]
        self._check_turn_tools(turn, call, tool.server)
        arguments = args.parse(call.arguments)
        if problems := self.checker.find_problems(tool.input_schema, arguments):
            raise InvalidArguments(problems)
        report = self.list_files(call, arguments)
        self.calls.mark_dispatched(call.model_copy(update={"injected": arguments, "server": tool.server}))
        self._publish_start(call, arguments)
        return report

    def _prepare(self, turn: Turn, call: Call, token: str) -> tuple[str, CallOrder]:
        server, entry, tool = self._find_tool(turn, call)
        if entry.needs_approval(tool.name):
            call = self._approved(call)
        arguments = args.inject_identity(tool, args.parse(call.arguments), call.user)
        arguments = args.fill_original_names(tool, arguments, str)  # the schema may require the files' original names
        if problems := self.checker.find_problems(tool.input_schema, arguments):
            raise InvalidArguments(problems)
        resolved = self.inputs(call, tool, entry, arguments, entry.limits_with_defaults(self.limits).max_seconds)
        sent = {
            "injected": strip_blobs(arguments),
            "unresolved": resolved.unresolved,
            "server": server,
            "bytes_in": resolved.bytes,
        }
        self.calls.mark_dispatched(call.model_copy(update=sent))
        self._publish_start(call, arguments)
        return server, self._order(call, tool, entry, resolved, token)

    def _approved(self, call: Call) -> Call:
        """Return the call with the arguments that the user approved. Raise NotApproved if the user did not approve."""
        approval = self.approvals.get(call.turn_id, call.call_id)
        if approval is None or approval.decision is None:
            raise NotApproved("The call was not approved in time")
        decision = approval.decision
        if not decision.approved:
            reason = f": {decision.reason}" if decision.reason else ""
            raise NotApproved(f"The user denied the call{reason}")
        if decision.digest != call.digest:
            raise NotApproved("The user approved a call with other arguments")
        if decision.arguments is None:
            return call
        return call.model_copy(update={"arguments": json.dumps(decision.arguments)})

    def _find_tool(self, turn: Turn, call: Call) -> tuple[str, ServerEntry, ToolSpec]:
        """Return the server's name, its configuration, and the tool. Raise UnknownTool, Forbidden or ToolFailed."""
        place = self.registry.split_tool_name(call.tool)
        if place is None:
            raise UnknownTool(call.tool, nearest=self._similar_tools(turn, call.tool))
        server, name = place
        entry = self.registry.servers[server]
        if server not in self.registry.visible_to(turn.groups):
            raise Forbidden(call.tool)
        try:
            tools = {tool.name: tool for tool in self.tools.get_with_tool(server, name)}
        except Unavailable as error:
            raise ToolFailed(error.message) from error
        if name not in tools:
            raise UnknownTool(
                call.tool, nearest=args.find_similar_names(call.tool, [t.full_name for t in tools.values()])
            )
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

    def _order(self, call: Call, tool: ToolSpec, entry: ServerEntry, resolved: ResolvedInputs, token: str) -> CallOrder:
        prefixes = call_objects_prefixes(call.user, call.call_id)
        key = outcome_key(call.user, call.turn_id, call.call_id)
        return CallOrder(
            user=call.user,
            session_id=call.session_id,
            turn_id=call.turn_id,
            call_id=call.call_id,
            tool=tool.name,
            arguments=resolved.arguments,
            output_schema=tool.output_schema,
            inputs=resolved.inputs,
            writes=any(tool.declares(name) for name in args.IDENTITY_ARGUMENTS),
            collect=entry.collect == "all",
            task_token=token,
            credentials=self.credentials.for_call(call.call_id, prefixes, key),
            outcome_key=key,
            limits=entry.limits_with_defaults(self.limits),
        )

    def _publish_start(self, call: Call, arguments: Any) -> None:  # noqa: ANN401  (a JSON object, or the model's text if it is not JSON)
        server, _, _ = call.tool.rpartition(".")
        payload = {
            "call_id": call.call_id,
            "tool": call.tool,
            "server": server,
            "arguments": strip_and_truncate(arguments),
        }
        self.events.append(
            call.turn_id, NewEvent(type="tool_start", payload=payload, dedupe_key=f"start-{call.call_id}")
        )
