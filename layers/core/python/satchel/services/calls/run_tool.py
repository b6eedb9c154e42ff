"""Run one tool call where foreign code may run (function run_tool): claim, fetch, call, collect, hand over."""

import logging
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from satchel.contract import ContractError, ToolError, ToolFailed, normalize, view_for_model
from satchel.domain.calls import Outcome
from satchel.ports.catalog import CallClaims
from satchel.ports.clock import Clock
from satchel.ports.events import Events
from satchel.ports.file_store import FileStore
from satchel.ports.runners import ArtifactOpener, CallOrder, FileLister, FileState, InputFetcher
from satchel.ports.tool_client import Answered, ToolClient, UserArea
from satchel.ports.workflow import TaskCallback
from satchel.services.calls.find_made import find_made
from satchel.services.calls.keep_artifacts import KeepArtifacts
from satchel.services.calls.listen_to_tool import ListenToTool
from satchel.services.calls.make_outcome import make_outcome, whole_results
from satchel.services.calls.pulse import Pulse
from satchel.services.calls.refusals import Policy, Refusals
from satchel.services.calls.store_outcome import store_outcome

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
    area: UserArea
    fetch: InputFetcher
    open_artifact: ArtifactOpener
    list_files: FileLister
    callback: TaskCallback
    clock: Clock
    new_claim: Callable[[], str]
    pulse_seconds: float
    most_file_bytes: int
    violation_policy: Policy = "note"

    def __call__(self, order: CallOrder, ports: CallPorts) -> None:
        """Run the call and end its task. Delivered twice, it runs once; cancelled, it leaves nothing running."""
        if not ports.claims.claim(order.turn_id, order.call_id, self.new_claim()):
            logger.info("call was claimed before", extra={"call_id": order.call_id})
            return
        with Pulse(self.callback, order.task_token, self.pulse_seconds) as pulse:
            outcome = self._outcome(order, ports, pulse)
            if pulse.gone:
                logger.info("call was ended from outside", extra={"call_id": order.call_id})
                return
            store_outcome(ports.store, order.outcome_key, outcome)
        self.callback.done(order.task_token)

    def _outcome(self, order: CallOrder, ports: CallPorts, pulse: Pulse) -> Outcome:
        started = self.clock.monotonic()
        try:
            outcome = self._run(order, ports, pulse, started)
        except ToolError as error:
            outcome = Outcome.of_error(error)
        except ContractError as error:
            outcome = Outcome.of_error(ToolFailed(f"The tool's answer cannot be read: {error}"))
        except Exception as error:
            # The task must end with a word whatever went wrong here; the trace goes to the log.
            logger.exception("the runner failed", extra={"call_id": order.call_id})
            outcome = Outcome.of_error(ToolFailed(f"The tool could not be run: {error}"))
        outcome.duration_ms = round(1000 * (self.clock.monotonic() - started))
        return outcome

    def _run(self, order: CallOrder, ports: CallPorts, pulse: Pulse, started: float) -> Outcome:
        with ExitStack() as stack:
            home = self._home(order, stack)
            before = self._files(order, home)
            refusals = Refusals(order, self.violation_policy)
            answer = self._call(order, ListenToTool(ports.events, self.clock, order, refusals, started), pulse, home)
            output = normalize(answer.raw, output_schema=order.output_schema)
            refusals.check(failed=output.is_error)
            made = find_made(output, home, before, self._files(order, home)) if home else []
            view = view_for_model(output, files=[])
            keep = KeepArtifacts(ports.store, self.open_artifact, self.most_file_bytes)
            files, problems = keep(order, home, output, [*made, *whole_results(order.tool, output, view)])
        outcome = make_outcome(output, view, files, problems, refusals.noted())
        return outcome.model_copy(update={"tools_changed": answer.tools_changed})

    def _files(self, order: CallOrder, home: Path | None) -> Mapping[str, FileState]:
        return self.list_files(home) if home and order.writes and order.collect else {}

    def _home(self, order: CallOrder, stack: ExitStack) -> Path | None:
        """A tool that neither writes nor reads files needs no corner, and so waits for nobody who has it."""
        if not order.writes and not order.inputs:
            return None
        home = stack.enter_context(self.area.hold(order.user, order.session_id))
        self.fetch(order.inputs, home)
        return home

    def _call(self, order: CallOrder, listen: ListenToTool, pulse: Pulse, home: Path | None) -> Answered:
        with self.client.call(order.tool, order.arguments, home, writes=order.writes) as running:
            pulse.when_gone(running.kill)
            try:
                return listen(running)
            finally:
                pulse.when_gone(None)
