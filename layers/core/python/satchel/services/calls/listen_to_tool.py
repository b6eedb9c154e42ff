"""Follow one running call: pass on what it says, warn when it is silent, end it when it is overdue (spec 3 §11)."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field

from satchel.contract import strip_blobs
from satchel.contract.errors import FileTooLarge, ToolCrashed, ToolFailed, ToolTimedOut
from satchel.domain.errors import Unavailable
from satchel.domain.events import NewEvent
from satchel.domain.timing import Notice, Overdue, Silence, Throttle
from satchel.ports.runners import CallOrder
from satchel.ports.system import Clock
from satchel.ports.tool_client import (
    BlockedAccess,
    CallFailure,
    LogMessage,
    OutsideChange,
    ProgressUpdate,
    RunningCall,
    ToolEvent,
    ToolResult,
)
from satchel.ports.turns import Events
from satchel.services.calls.violations import Refusals

MAX_TEXT = 2000
MAX_LOGS = 200

logger = logging.getLogger(__name__)


@dataclass
class ListenToTool:
    """Listens to one call; made anew for each."""

    events: Events
    clock: Clock
    order: CallOrder
    refusals: Refusals
    started: float | None = None
    last_progress: str | None = None
    progress_received: int = 0
    logged: int = 0
    thinner: Throttle[ProgressUpdate] = field(default_factory=Throttle)

    def __call__(self, running: RunningCall) -> ToolResult:
        """Wait for the answer.

        Raises ToolTimedOut (the server is dead by then), ToolCrashed, ToolFailed, InvalidPath.
        """
        try:
            return self._follow(running)
        finally:
            counted = {"call_id": self.order.call_id, "progress_received": self.progress_received}
            logger.info("the tool has ended", extra=counted)

    def _follow(self, running: RunningCall) -> ToolResult:
        silence = Silence(self.order.limits, self.clock.monotonic(), self.started)
        while True:
            while due := silence.look(self.clock.monotonic()):
                self._due(due, running)
            until = min(silence.next_at(), self.thinner.due_at)
            signal = running.receive(max(0.0, until - self.clock.monotonic()))
            if signal is None:
                self._rest()
                continue
            silence.heard(self.clock.monotonic())
            answer = self._heard(signal)
            if answer is not None:
                return answer

    def _due(self, due: Notice | Overdue, running: RunningCall) -> None:
        if isinstance(due, Overdue):
            running.kill()
            self._rest()
        said = {"seconds": round(due.seconds), "left_seconds": round(due.left), "message": due.message}
        self._write("tool_notice", said)
        if isinstance(due, Overdue):
            raise ToolTimedOut(timeout_seconds=due.seconds, last_progress=self.last_progress, kind=due.kind)

    def _heard(self, signal: ToolEvent) -> ToolResult | None:
        if isinstance(signal, ToolResult | CallFailure):
            self._rest()
        match signal:
            case ProgressUpdate():
                self.progress_received += 1
                self.last_progress = _shown(signal.message) or _in_figures(signal)
                if progress := self.thinner.offer(signal, self.clock.monotonic()):
                    self._progress(progress)
            case LogMessage():
                self._log(signal)
            case CallFailure(exceeded_limit=int(limit)):
                raise FileTooLarge(limit + 1, limit, message="The tool's answer exceeds processing limits")
            case CallFailure(crashed=True):
                raise ToolCrashed(_shown(signal.message))
            case BlockedAccess() | OutsideChange():
                self._outside(signal)
            case CallFailure():
                self.refusals.check(failed=True)
                raise ToolFailed(_shown(signal.message))
            case ToolResult():
                return signal
        return None

    def _outside(self, signal: BlockedAccess | OutsideChange) -> None:
        tell = self.refusals.hear if isinstance(signal, BlockedAccess) else self.refusals.see
        tell(signal.path)

    def _rest(self) -> None:
        if progress := self.thinner.rest(self.clock.monotonic()):
            self._progress(progress)

    def _log(self, said: LogMessage) -> None:
        self.logged += 1
        if self.logged <= MAX_LOGS:
            self._write("tool_log", {"level": said.level, "message": _shown(said.message)})
        elif self.logged == MAX_LOGS + 1:
            self._write("tool_log", {"level": "warning", "message": f"Only the first {MAX_LOGS} messages are shown."})

    def _progress(self, progress: ProgressUpdate) -> None:
        percentage = 100 * progress.progress / progress.total if progress.total else None
        payload = {
            "progress": progress.progress,
            "total": progress.total,
            "percentage": None if percentage is None else round(percentage, 1),
            "message": _shown(progress.message),
        }
        self._write("tool_progress", payload)

    def _write(self, kind: str, payload: Mapping[str, object]) -> None:
        """What is told on the way is worth less than the call: where it cannot be written, the call goes on."""
        event = NewEvent.model_validate({"type": kind, "payload": {"call_id": self.order.call_id, **payload}})
        try:
            self.events.append(self.order.turn_id, event)
        except Unavailable:
            logger.warning("an event was lost", extra={"call_id": self.order.call_id, "type": kind}, exc_info=True)


def _shown(text: str | None) -> str:
    """What a tool says may be of any length, and hold the link by which it was given a file."""
    return str(strip_blobs(text or ""))[:MAX_TEXT]


def _in_figures(progress: ProgressUpdate) -> str:
    return f"{progress.progress:g}/{progress.total:g}" if progress.total else f"{progress.progress:g}"
