"""How long a tool may be silent, what the person is told meanwhile, and when it ends (spec 3 §11.3).

Progress is for people: about four a second are enough, but never without the last one.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Generic, Literal, Self, TypeVar

from pydantic import BaseModel, Field, model_validator

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
"""A length of time that passes."""

NoticeSeconds = tuple[Seconds, Seconds, Seconds]
"""After how much silence the person is told: once, once more, and that it is about to end."""

_SPEC_SILENCE = 30.0
_SPEC_NOTICES = (15.0, 20.0, 25.0)
_WORDS = (
    "The tool is taking longer than expected. Please wait...",
    "Still processing your request. This may take a few more moments.",
    "Processing continues. The tool will timeout in {left} if no progress.",
)
_SILENT = "Tool failed to respond in a reasonable amount of time. Please try again or use a smaller dataset."
_TOO_LONG = "The tool was stopped after {max_seconds}, the longest that a call of it may last."


class Notice(BaseModel):
    """A word to the person after ``seconds`` of silence; ``left`` are those that the silence may go on."""

    seconds: float
    left: float
    message: str


class TimeLimitReached(BaseModel):
    """The call must be killed. ``kind`` tells which of the two limits it was, ``message`` tells the person."""

    kind: Literal["silence", "cap"]
    seconds: float
    left: Literal[0] = 0

    @property
    def message(self) -> str:
        """Return what the person is told."""
        return _SILENT if self.kind == "silence" else _TOO_LONG.format(max_seconds=_format_seconds(self.seconds))


class Limits(BaseModel):
    """Times of one tool call: how long it may be silent, when the person is told, how long it may last at all.

    Without ``notices`` they come at a half, two thirds and five sixths of the silence.
    """

    silence: Seconds = _SPEC_SILENCE
    notices: NoticeSeconds | None = None
    max_seconds: Seconds = 840.0

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.notices and (problem := describe_order_problem(self.notices, self.silence)):
            raise ValueError(problem)
        return self

    def notice_schedule(self) -> Sequence[Notice]:
        """Return the words to the person in a silence, in order; the last one says how much of it is left."""
        times = self.notices or [at * self.silence / _SPEC_SILENCE for at in _SPEC_NOTICES]
        left = _format_seconds(self.silence - times[-1])
        return [
            Notice(seconds=at, left=self.silence - at, message=text.format(left=left))
            for at, text in zip(times, _WORDS, strict=True)
        ]


def describe_order_problem(notices: Sequence[float], silence: float) -> str | None:
    """Return what is wrong with the times of notices; None where each comes after the one before, and all in time."""
    if all(before < after for before, after in pairwise([*notices, silence])):
        return None
    return f"three rising times below the {silence:g} s of silence after which the tool is ended"


class SilenceTimer:
    """Watches one call. Times are of any monotonic clock, in seconds.

    ``started`` is when the whole call began (its inputs were brought before ``now``): the cap counts from there.
    """

    def __init__(self, limits: Limits, now: float, started: float | None = None) -> None:
        self._limits = limits
        self._started = now if started is None else started
        self._last_word = now
        self._told = 0
        self._notices = limits.notice_schedule()

    def reset(self, now: float) -> None:
        """Any sign of life starts the silence anew (spec 3 §11.2)."""
        self._last_word = now
        self._told = 0

    def next_deadline(self) -> float:
        """Return when to look again."""
        ends = min(self._last_word + self._limits.silence, self._started + self._limits.max_seconds)
        if self._told < len(self._notices):
            return min(ends, self._last_word + self._notices[self._told].seconds)
        return ends

    def check(self, now: float) -> Notice | TimeLimitReached | None:
        """Return what is due by now, one thing at a time."""
        if now >= self._started + self._limits.max_seconds:
            return TimeLimitReached(kind="cap", seconds=self._limits.max_seconds)
        if now >= self._last_word + self._limits.silence:
            return TimeLimitReached(kind="silence", seconds=self._limits.silence)
        if self._told < len(self._notices) and now >= self._last_word + self._notices[self._told].seconds:
            self._told += 1
            return self._notices[self._told - 1]
        return None


def _format_seconds(seconds: float) -> str:
    return "1 second" if seconds == 1 else f"{round(seconds, 1):g} seconds"


T = TypeVar("T")

MIN_INTERVAL_SECONDS = 0.25


class Throttle(Generic[T]):
    """Lets an item pass when enough time went by, else holds the newest until it is asked for."""

    def __init__(self, seconds: float = MIN_INTERVAL_SECONDS) -> None:
        self._seconds = seconds
        self._passed: float | None = None
        self._held: T | None = None

    def offer(self, item: T, now: float) -> T | None:
        """Return the item if it may pass now, None if it is held."""
        if self._passed is not None and now - self._passed < self._seconds:
            self._held = item
            return None
        self._passed, self._held = now, None
        return item

    @property
    def due_at(self) -> float:
        """Return when what is held may pass; never, where nothing is held."""
        return math.inf if self._held is None or self._passed is None else self._passed + self._seconds

    def flush(self, now: float) -> T | None:
        """Return what is held, if anything, and hold it no longer: it has passed now."""
        item, self._held = self._held, None
        if item is not None:
            self._passed = now
        return item
