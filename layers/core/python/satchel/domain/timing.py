"""Time limits for tool calls, the notices that users get before a limit, and a rate limit for progress events."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Generic, Literal, Self, TypeVar

from pydantic import BaseModel, Field, model_validator

T = TypeVar("T")

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
"""A finite, positive duration in seconds."""

NoticeSeconds = tuple[Seconds, Seconds, Seconds]
"""Seconds of a tool's silence after which the user gets the first, second and third notice."""

_DEFAULT_SILENCE = 30.0
_DEFAULT_NOTICES = (15.0, 20.0, 25.0)
_NOTICE_TEXTS = (
    "The tool is taking longer than expected. Please wait...",
    "Still processing your request. This may take a few more moments.",
    "Processing continues. The tool will timeout in {left} if no progress.",
)
_SILENT = "Tool failed to respond in a reasonable amount of time. Please try again or use a smaller dataset."
_TOO_LONG = "The tool was stopped after {max_seconds}, the maximum duration of a call."


class Notice(BaseModel):
    """A message to the user if a tool is silent for ``seconds``. Satchel stops the call after ``left`` more seconds."""

    seconds: float
    left: float
    message: str


class TimeLimitReached(BaseModel):
    """The time limit that a tool call has reached: ``silence`` of the tool, or ``cap`` (the total duration)."""

    kind: Literal["silence", "cap"]
    seconds: float
    left: Literal[0] = 0

    @property
    def message(self) -> str:
        """Return the message to the user."""
        return _SILENT if self.kind == "silence" else _TOO_LONG.format(max_seconds=_format_seconds(self.seconds))


class Limits(BaseModel):
    """Time limits of a tool call in seconds: maximum silence of the tool, times of notices, and total duration.

    By default, users get notices after 1/2, 2/3 and 5/6 of the silence limit, e.g. after 15, 20 and 25 s of 30 s
    (clauses v2.1:timeout:notice-15s, v2.1:timeout:notice-20s, v2.1:timeout:notice-25s).
    """

    silence: Seconds = _DEFAULT_SILENCE
    notices: NoticeSeconds | None = None
    max_seconds: Seconds = 840.0

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.notices and (problem := describe_order_problem(self.notices, self.silence)):
            raise ValueError(problem)
        return self

    def notice_schedule(self) -> Sequence[Notice]:
        """Return the three notices in order. The text of the last one contains the remaining time."""
        times = self.notices or [at * self.silence / _DEFAULT_SILENCE for at in _DEFAULT_NOTICES]
        left = _format_seconds(self.silence - times[-1])
        return [
            Notice(seconds=at, left=self.silence - at, message=text.format(left=left))
            for at, text in zip(times, _NOTICE_TEXTS, strict=True)
        ]


def describe_order_problem(notices: Sequence[float], silence: float) -> str | None:
    """Return the rule that the notices' times violate, or None if they rise and stay below the silence limit."""
    if all(before < after for before, after in pairwise([*notices, silence])):
        return None
    return f"three rising times below the silence limit of {silence:g} s"


class SilenceTimer:
    """Tracks the time limits of one tool call. All times are seconds of a monotonic clock.

    The limit of the total duration counts from ``started``, which is before the call's input files are downloaded.
    """

    def __init__(self, limits: Limits, now: float, started: float | None = None) -> None:
        self._limits = limits
        self._started = now if started is None else started
        self._last_message = now
        self._notices_sent = 0
        self._notices = limits.notice_schedule()
        self._is_paused = False

    def reset(self, now: float) -> None:
        """Restart the measurement of silence when the tool sends any message (clause v2.1:progress:resets)."""
        self._last_message = now
        self._notices_sent = 0

    def pause(self) -> None:
        """Stop the measurement of silence: the tool waits for the user. The total duration is still limited."""
        self._is_paused = True

    def resume(self, now: float) -> None:
        """Restart the measurement of silence after ``pause``, if it is paused."""
        if self._is_paused:
            self._is_paused = False
            self.reset(now)

    @property
    def cap_end(self) -> float:
        """Return the time at which the limit of the total duration is reached."""
        return self._started + self._limits.max_seconds

    def next_deadline(self) -> float:
        """Return the time at which the next notice is due or a limit is reached."""
        if self._is_paused:
            return self.cap_end
        return min(self._last_message + self._limits.silence, self.cap_end, self._next_notice_at())

    def check(self, now: float) -> Notice | TimeLimitReached | None:
        """Return a due notice, a reached limit, or None. After a notice, call again, because another may be due."""
        if now >= self.cap_end:
            return TimeLimitReached(kind="cap", seconds=self._limits.max_seconds)
        if self._is_paused:
            return None
        if now >= self._last_message + self._limits.silence:
            return TimeLimitReached(kind="silence", seconds=self._limits.silence)
        if now < self._next_notice_at():
            return None
        self._notices_sent += 1
        return self._notices[self._notices_sent - 1]

    def _next_notice_at(self) -> float:
        sent = self._notices_sent
        return self._last_message + self._notices[sent].seconds if sent < len(self._notices) else math.inf


def _format_seconds(seconds: float) -> str:
    return "1 second" if seconds == 1 else f"{round(seconds, 1):g} seconds"


MIN_INTERVAL_SECONDS = 0.25
"""Minimum time between progress messages, because users cannot follow more than about four per second."""


class Throttle(Generic[T]):
    """Limits the rate of items, e.g. progress messages. Holds an item that comes too early; a newer one replaces it."""

    def __init__(self, seconds: float = MIN_INTERVAL_SECONDS) -> None:
        self._seconds = seconds
        self._last_passed: float | None = None
        self._held: T | None = None

    def offer(self, item: T, now: float) -> T | None:
        """Return the item if it may pass now. Otherwise, hold it for later and return None."""
        if self._last_passed is not None and now - self._last_passed < self._seconds:
            self._held = item
            return None
        self._last_passed, self._held = now, None
        return item

    @property
    def due_at(self) -> float:
        """Return the time at which the held item may pass, or infinity if no item is held."""
        return math.inf if self._held is None or self._last_passed is None else self._last_passed + self._seconds

    def flush(self, now: float) -> T | None:
        """Release and return the held item, or None. The minimum interval to the next item starts at ``now``."""
        item, self._held = self._held, None
        if item is not None:
            self._last_passed = now
        return item
