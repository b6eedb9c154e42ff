"""Wait for a running tool call: publish its events, notify the user of long silence, and stop it at its time limits."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field

from satchel.contract import strip_blobs
from satchel.contract.errors import FileTooLarge, ToolCrashed, ToolFailed, ToolTimedOut
from satchel.domain.errors import Unavailable
from satchel.domain.events import NewEvent
from satchel.domain.timing import Notice, SilenceTimer, Throttle, TimeLimitReached
from satchel.ports.calls import EventReporter
from satchel.ports.runners import CallOrder
from satchel.ports.system import Clock
from satchel.ports.tool_client import (
    AskedQuestion,
    BlockedAccess,
    CallFailure,
    CallOutcome,
    CannotAsk,
    ClosedQuestion,
    InputRequired,
    LogMessage,
    OutsideChange,
    ProgressUpdate,
    RunningCall,
    TaskRunning,
    ToolEvent,
    ToolResult,
)
from satchel.services.calls.ask_during_call import AskDuringCall
from satchel.services.calls.violations import Violations

MAX_TEXT_CHARS = 2000
MAX_LOGS = 200

logger = logging.getLogger(__name__)

ListenResult = ToolResult | InputRequired | TaskRunning | CannotAsk


@dataclass
class ListenToTool:
    """Follow one running tool call. ``started`` is the monotonic time at which the call began to fetch its inputs."""

    events: EventReporter
    clock: Clock
    order: CallOrder
    violations: Violations
    ask: AskDuringCall
    started: float | None = None
    last_progress: str | None = None
    progress_count: int = 0
    log_count: int = 0
    throttle: Throttle[ProgressUpdate] = field(default_factory=Throttle)

    def __call__(self, running: RunningCall) -> ListenResult:
        """Return the tool's result, its questions, the task that works on the call, or that the tool cannot ask.

        Raise ToolTimedOut, ToolCrashed, ToolFailed, NotAnswered, InvalidPath or FileTooLarge.
        """
        try:
            return self._follow(running)
        finally:
            fields = {"call_id": self.order.call_id, "progress_received": self.progress_count}
            logger.info("the tool has ended", extra=fields)

    def _follow(self, running: RunningCall) -> ListenResult:
        silence = SilenceTimer(self.order.limits, self.clock.monotonic(), self.started)
        while True:
            self._check_answer(running, silence)
            while due := silence.check(self.clock.monotonic()):
                self._handle_silence(due, running)
            until = min(silence.next_deadline(), self.throttle.due_at, self.ask.next_check)
            event = running.receive(max(0.0, until - self.clock.monotonic()))
            if event is None:
                self._flush_progress()
                continue
            silence.reset(self.clock.monotonic())
            if isinstance(event, AskedQuestion):
                self.ask.ask(event, running, silence.cap_end)
            elif isinstance(event, ClosedQuestion):
                self.ask.close(event, running, silence.cap_end)
            elif (result := self._handle(event)) is not None:
                return result

    def _check_answer(self, running: RunningCall, silence: SilenceTimer) -> None:
        """Look for the user's answer, and measure the silence of the tool only while it does not wait for the user."""
        self.ask.check(running, silence.cap_end)
        if self.ask.is_open:
            silence.pause()
        else:
            silence.resume(self.clock.monotonic())

    def _handle_silence(self, due: Notice | TimeLimitReached, running: RunningCall) -> None:
        if isinstance(due, TimeLimitReached):
            running.kill()
            self._flush_progress()
        payload = {"seconds": round(due.seconds), "left_seconds": round(due.left), "message": due.message}
        self._publish("tool_notice", payload)
        if isinstance(due, TimeLimitReached):
            raise ToolTimedOut(timeout_seconds=due.seconds, last_progress=self.last_progress, kind=due.kind)

    def _handle(self, event: ToolEvent) -> ListenResult | None:
        if isinstance(event, CallOutcome):
            self._flush_progress()
        match event:
            case ProgressUpdate():
                self._handle_progress(event)
            case LogMessage():
                self._publish_log(event)
            case BlockedAccess():
                self.violations.add_blocked_access(event)
            case OutsideChange():
                self.violations.add_outside_change(event.path)
            case CallFailure():
                self._raise(event)
            case ToolResult() | InputRequired() | TaskRunning() | CannotAsk():
                return event
        return None

    def _raise(self, failure: CallFailure) -> None:
        if (limit := failure.exceeded_limit) is not None:
            raise FileTooLarge(limit + 1, limit, message="The tool's result exceeds processing limits")
        if failure.crashed:
            raise ToolCrashed(_clean(failure.message))
        self.violations.check(failed=True)
        raise ToolFailed(_clean(failure.message))

    def _handle_progress(self, progress: ProgressUpdate) -> None:
        self.progress_count += 1
        self.last_progress = _clean(progress.message) or _numbers(progress)
        if due := self.throttle.offer(progress, self.clock.monotonic()):
            self._publish_progress(due)

    def _flush_progress(self) -> None:
        if progress := self.throttle.flush(self.clock.monotonic()):
            self._publish_progress(progress)

    def _publish_log(self, log: LogMessage) -> None:
        self.log_count += 1
        if self.log_count <= MAX_LOGS:
            self._publish("tool_log", {"level": log.level, "message": _clean(log.message)})
        elif self.log_count == MAX_LOGS + 1:
            self._publish("tool_log", {"level": "warning", "message": f"Only the first {MAX_LOGS} messages are shown."})

    def _publish_progress(self, progress: ProgressUpdate) -> None:
        percentage = 100 * progress.progress / progress.total if progress.total else None
        payload = {
            "progress": progress.progress,
            "total": progress.total,
            "percentage": None if percentage is None else round(percentage, 1),
            "message": _clean(progress.message),
        }
        self._publish("tool_progress", payload)

    def _publish(self, kind: str, payload: Mapping[str, object]) -> None:
        """Publish an event of the tool call. If the event cannot be written, it is lost, but the call continues."""
        event = NewEvent.model_validate({"type": kind, "payload": dict(payload)})
        try:
            self.events.report(self.order.call_id, event)
        except Unavailable:
            logger.warning("an event was lost", extra={"call_id": self.order.call_id, "type": kind}, exc_info=True)


def _clean(text: str | None) -> str:
    """Remove file links from a tool's text, because links give access to files. Cut the text to 2,000 characters."""
    return str(strip_blobs(text or ""))[:MAX_TEXT_CHARS]


def _numbers(progress: ProgressUpdate) -> str:
    return f"{progress.progress:g}/{progress.total:g}" if progress.total else f"{progress.progress:g}"
