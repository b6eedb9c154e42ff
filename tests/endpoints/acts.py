"""What an endpoint does at a request, in no provider's form."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol


class Reason(StrEnum):
    """Why an answer ends."""

    DONE = "done"
    LENGTH = "length"
    FILTERED = "filtered"
    REFUSED = "refused"


class Refusal(StrEnum):
    """Why there is no answer, told by an HTTP status."""

    THROTTLED = "throttled"
    FAILING = "failing"
    OVERLOADED = "overloaded"
    QUOTA = "quota"
    TOO_LONG = "too long"
    NO_KEY = "no key"
    NO_MODEL = "no model"
    REJECTED = "rejected"


@dataclass(frozen=True)
class Answers:
    """Text in pieces, then calls (name and arguments).

    Seconds: ``silence`` before the first byte, ``pause`` between frames. After so many frames the answer ends as if it
    were whole (``ends_after``), the connection breaks (``cut_after``), something comes that is no frame
    (``garbled_after``), nothing comes for a while (``stuck_after``).
    """

    pieces: Sequence[str] = ()
    calls: Sequence[tuple[str, str]] = ()
    reason: Reason = Reason.DONE
    tokens: tuple[int, int] = (11, 7)
    silence: float = 0
    pause: float = 0
    ends_after: int | None = None
    cut_after: int | None = None
    garbled_after: int | None = None
    stuck_after: int | None = None


@dataclass(frozen=True)
class Refuses:
    """An HTTP error, in the provider's own words."""

    why: Refusal
    headers: Mapping[str, str] = field(default_factory=dict)


Act = Answers | Refuses


@dataclass(frozen=True)
class Asked:
    """A request as it came; ``body`` is its JSON."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


@dataclass(frozen=True)
class Failed:
    """An HTTP error."""

    status: int
    body: dict[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)


class Dialect(Protocol):
    """A provider's wire format."""

    content_type: str
    garbage: bytes

    def frames(self, answer: Answers) -> Iterable[bytes]:
        """Return an answer in frames."""
        ...

    def refusal(self, why: Refusal) -> Failed:
        """Return an HTTP error."""
        ...


Decide = Callable[[Asked], Act]
