"""Replies of a fake provider, independent of the provider's wire format."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

SIGNATURE = "EqQBCgIYAhIM"
"""The signature of each reasoning. Providers that sign reasoning reject it without its signature."""


class FinishReason(StrEnum):
    """Reason for the end of an answer."""

    DONE = "done"
    LENGTH = "length"
    FILTERED = "filtered"
    REFUSED = "refused"


class ErrorKind(StrEnum):
    """Cause of an HTTP error in place of an answer."""

    THROTTLED = "throttled"
    FAILING = "failing"
    OVERLOADED = "overloaded"
    QUOTA = "quota"
    TOO_LONG = "too long"
    NO_KEY = "no key"
    NO_MODEL = "no model"
    REJECTED = "rejected"


@dataclass(frozen=True)
class Answer:
    """Reasoning and text in pieces, then tool calls as `(name, arguments)`. ``tokens`` are the input and output tokens,
    and ``cache_tokens`` the input tokens that were read from the prompt cache and written to it.

    ``silence`` (before the first byte) and ``pause`` (between frames) are seconds. After this many frames, the answer
    ends like a complete one (``ends_after``), the connection breaks (``cut_after``), an invalid frame is sent
    (``garbled_after``) or nothing is sent for 30 s (``stuck_after``).
    """

    pieces: Sequence[str] = ()
    thoughts: Sequence[str] = field(default=(), kw_only=True)
    calls: Sequence[tuple[str, str]] = ()
    reason: FinishReason = FinishReason.DONE
    tokens: tuple[int, int] = (11, 7)
    cache_tokens: tuple[int, int] = (0, 0)
    silence: float = 0
    pause: float = 0
    ends_after: int | None = None
    cut_after: int | None = None
    garbled_after: int | None = None
    stuck_after: int | None = None


@dataclass(frozen=True)
class ErrorReply:
    """An HTTP error with the provider's own body."""

    kind: ErrorKind
    headers: Mapping[str, str] = field(default_factory=dict)


Reply = Answer | ErrorReply


@dataclass(frozen=True)
class Request:
    """A received request. ``body`` is its JSON."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


@dataclass(frozen=True)
class HttpError:
    """An HTTP error in a wire format."""

    status: int
    body: dict[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)


class WireFormat(Protocol):
    """The wire format of a provider."""

    content_type: str
    garbage: bytes

    def frames(self, answer: Answer) -> Iterable[bytes]:
        """Return the frames of an answer."""
        ...

    def http_error(self, kind: ErrorKind) -> HttpError:
        """Return the HTTP error of this kind."""
        ...


ReplyFactory = Callable[[Request], Reply]
