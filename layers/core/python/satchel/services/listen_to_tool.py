"""Follow one running call: pass on what it says, warn when it is silent, end it when it is overdue (spec 3 §11)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from satchel.contract.errors import ToolCrashed, ToolFailed, ToolTimedOut
from satchel.domain.events import NewEvent
from satchel.domain.thinning import Thinner
from satchel.domain.timing import TIMED_OUT, Notice, Overdue, Silence
from satchel.ports.clock import Clock
from satchel.ports.events import Events
from satchel.ports.runners import CallOrder
from satchel.ports.tool_client import Answered, Failed, Log, Progress, RunningCall, Signal

MOST_TEXT = 2000


@dataclass
class ListenToTool:
    """Listens to one call; made anew for each."""

    events: Events
    clock: Clock
    order: CallOrder
    last_progress: str | None = None
    arrived: int = 0
    thinner: Thinner[Progress] = field(default_factory=Thinner)

    def __call__(self, running: RunningCall) -> Answered:
        """Wait for the answer.

        Raises ToolTimedOut (the server is dead by then), ToolCrashed, ToolFailed.
        """
        silence = Silence(self.order.limits, self.clock.monotonic())
        while True:
            while due := silence.look(self.clock.monotonic()):
                self._due(due, running)
            signal = running.receive(max(0.0, silence.next_at() - self.clock.monotonic()))
            if signal is None:
                continue
            silence.heard(self.clock.monotonic())
            answer = self._heard(signal)
            if answer is not None:
                self._progress(self.thinner.rest())
                return answer

    def _due(self, due: Notice | Overdue, running: RunningCall) -> None:
        if isinstance(due, Notice):
            self._write("tool_notice", {"seconds": round(due.seconds), "message": due.message})
            return
        running.kill()
        self._progress(self.thinner.rest())
        self._write("tool_notice", {"seconds": round(due.seconds), "message": TIMED_OUT})
        raise ToolTimedOut(timeout_seconds=due.seconds, last_progress=self.last_progress, kind=due.kind)

    def _heard(self, signal: Signal) -> Answered | None:
        match signal:
            case Progress():
                self.arrived += 1
                self.last_progress = signal.message or _in_figures(signal)
                self._progress(self.thinner.offer(signal, self.clock.monotonic()))
            case Log():
                self._write("tool_log", {"level": signal.level, "message": signal.message[:MOST_TEXT]})
            case Failed(crashed=True):
                raise ToolCrashed(signal.message)
            case Failed():
                raise ToolFailed(signal.message)
            case Answered():
                return signal
        return None

    def _progress(self, progress: Progress | None) -> None:
        if progress is None:
            return
        percentage = 100 * progress.progress / progress.total if progress.total else None
        payload = {
            "progress": progress.progress,
            "total": progress.total,
            "percentage": None if percentage is None else round(percentage, 1),
            "message": (progress.message or "")[:MOST_TEXT],
        }
        self._write("tool_progress", payload)

    def _write(self, kind: str, payload: Mapping[str, object]) -> None:
        event = NewEvent.model_validate({"type": kind, "payload": {"call_id": self.order.call_id, **payload}})
        self.events.append(self.order.turn_id, event)


def _in_figures(progress: Progress) -> str:
    return f"{progress.progress:g}/{progress.total:g}" if progress.total else f"{progress.progress:g}"
