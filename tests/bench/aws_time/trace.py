"""The graph of requests of an invocation: which request waits for which."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

TRACES = Path(__file__).with_name("turns.json")
"""The recorded turns."""
FIRST_PIECE = "model.FirstPiece"
"""The wait for the model's first text, recorded like a request."""
POST = "apigatewaymanagementapi.PostToConnection"
"""The request that sends a message to the user's page."""


@dataclass(frozen=True)
class Span:
    """A recorded request: when it began and ended, in seconds, and how many events of the turn it wrote."""

    name: str
    began: float
    ended: float
    events: int = 0


@dataclass(frozen=True)
class Request:
    """A request. It starts when the requests at the indexes ``after`` have ended, and writes this many events."""

    name: str
    after: tuple[int, ...]
    events: int = 0


@dataclass(frozen=True)
class Invocation:
    """An invocation of a function: its processor time in seconds, and its requests in the order of their start."""

    function: str
    processor_seconds: float
    requests: tuple[Request, ...]

    @property
    def depth(self) -> int:
        """Return the length of the longest chain of requests that wait for one another."""
        depths: list[int] = []
        for request in self.requests:
            depths.append(1 + max((depths[index] for index in request.after), default=0))
        return max(depths, default=0)


Turn = Sequence[Invocation]
"""The invocations of a turn in the order of their start."""


def find_dependencies(spans: Iterable[Span]) -> tuple[Request, ...]:
    """Return the requests of an invocation. A request waits for all that had ended when it began.

    Only the last of them are listed: those after which no other request began and ended before this one.
    """
    ordered = sorted(spans, key=lambda span: span.began)
    requests = []
    for span in ordered:
        earlier = [index for index, other in enumerate(ordered) if other.ended <= span.began and other is not span]
        latest_start = max((ordered[index].began for index in earlier), default=0.0)
        after = tuple(index for index in earlier if ordered[index].ended > latest_start)
        requests.append(Request(span.name, after, span.events))
    return tuple(requests)


def write(turns: Mapping[str, Turn], path: Path) -> None:
    """Write turns by kind as JSON, one invocation per line."""
    kinds = []
    for kind, turn in turns.items():
        lines = ",\n".join(f"    {json.dumps(asdict(invocation))}" for invocation in turn)
        kinds.append(f"  {json.dumps(kind)}: [\n{lines}\n  ]")
    path.write_text("{\n" + ",\n".join(kinds) + "\n}\n", encoding="utf-8")


def read(path: Path = TRACES) -> dict[str, list[Invocation]]:
    """Return the turns of a file by kind."""
    kinds = json.loads(path.read_text(encoding="utf-8"))
    return {
        kind: [
            Invocation(
                each["function"],
                each["processor_seconds"],
                tuple(
                    Request(request["name"], tuple(request["after"]), request["events"]) for request in each["requests"]
                ),
            )
            for each in turn
        ]
        for kind, turn in kinds.items()
    }
