"""How long a tool may be silent, what the person is told meanwhile, and when it ends (spec 3 §11.3)."""

from typing import Literal

from pydantic import BaseModel

NOTICES: tuple[tuple[float, str], ...] = (
    (15, "The tool is taking longer than expected. Please wait..."),
    (20, "Still processing your request. This may take a few more moments."),
    (25, "Processing continues. The tool will timeout in 5 seconds if no progress."),
)
TIMED_OUT = "Tool failed to respond in a reasonable amount of time. Please try again or use a smaller dataset."
_SPEC_SILENCE = 30.0


class Limits(BaseModel):
    """Times of one tool call in seconds: how long it may be silent, and how long it may last at all."""

    silence: float = _SPEC_SILENCE
    most: float = 840.0


class Notice(BaseModel):
    """A word to the person after ``seconds`` of silence."""

    seconds: float
    message: str


class Overdue(BaseModel):
    """The call must be killed. ``kind`` tells which of the two limits it was."""

    kind: Literal["silence", "cap"]
    seconds: float


class Silence:
    """Watches one call. Times are of any monotonic clock, in seconds; the notices scale with the limit of silence.

    ``started`` is when the whole call began (its inputs were brought before ``now``): the cap counts from there.
    """

    def __init__(self, limits: Limits, now: float, started: float | None = None) -> None:
        self._limits = limits
        self._started = now if started is None else started
        self._last_word = now
        self._told = 0
        scale = limits.silence / _SPEC_SILENCE
        self._notices = [(after * scale, message) for after, message in NOTICES]

    def heard(self, now: float) -> None:
        """Any sign of life starts the silence anew (spec 3 §11.2)."""
        self._last_word = now
        self._told = 0

    def next_at(self) -> float:
        """Return when to look again."""
        ends = min(self._last_word + self._limits.silence, self._started + self._limits.most)
        if self._told < len(self._notices):
            return min(ends, self._last_word + self._notices[self._told][0])
        return ends

    def look(self, now: float) -> Notice | Overdue | None:
        """Return what is due by now, one thing at a time."""
        if now >= self._started + self._limits.most:
            return Overdue(kind="cap", seconds=self._limits.most)
        if now >= self._last_word + self._limits.silence:
            return Overdue(kind="silence", seconds=self._limits.silence)
        if self._told < len(self._notices) and now >= self._last_word + self._notices[self._told][0]:
            seconds, message = self._notices[self._told]
            self._told += 1
            return Notice(seconds=seconds, message=message)
        return None
