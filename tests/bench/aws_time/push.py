"""The updates of open pages while many people's answers are streamed at once, and one connection answers nothing."""

from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from infra.run_time import elapsed
from satchel.adapters.clients import MAX_SEND_SECONDS
from satchel.domain.connections import MAX_FAILURES
from satchel.services.turns.token_streamer import UPDATE_SECONDS
from tests.bench.aws_time.cloud import Cloud, memory_of
from tests.bench.aws_time.simulation import Process, Simulation
from tests.bench.aws_time.stream import Record, Stream, push_of
from tests.bench.aws_time.trace import POST, Invocation, Turn

THINK = "Think"
PEOPLE = 400
MAX_GAP_SECONDS = 0.5
_ANSWER_SECONDS = 30.0
_WARM_UP_SECONDS = 5.0  # environments start, and do not count
_DEAD_AT = 15.0  # when one connection stops to answer


@dataclass(frozen=True)
class Gaps:
    """The seconds between two updates of a page, of all pages together."""

    seconds: list[float]

    @property
    def late(self) -> float:
        """Return the share of gaps of more than half a second."""
        return sum(gap > MAX_GAP_SECONDS for gap in self.seconds) / len(self.seconds)


def simulate(turn: Turn, *, people: int = PEOPLE, dead: bool = False, seed: int = 1) -> Gaps:
    """Return the gaps of pages whose answers are streamed for 30 s.

    If ``dead`` is set, the connection of one more person answers no request after 15 s. Its own gaps do not count.
    """
    simulation = Simulation()
    cloud = Cloud(simulation, seed)
    push = push_of(turn)
    stream = Stream(cloud, push)
    pages = [_Page(cloud, stream, push, f"p{number}") for number in range(people)]
    for page in pages:
        simulation.start(page.answer(), delay=cloud.uniform(UPDATE_SECONDS))
    if dead:
        simulation.start(_dead_page(stream), delay=_DEAD_AT)
    simulation.run()
    return Gaps([gap for page in pages for gap in page.gaps()])


class _Page:
    """An open page, and the times of its updates. Think and the stream push each event, and the first push counts."""

    def __init__(self, cloud: Cloud, stream: Stream, push: Invocation, name: str) -> None:
        self._cloud, self._stream, self._push, self._name = cloud, stream, push, name
        self._times: dict[int, float] = {}
        self._new: list[int] = []
        self._is_pushing = False

    def answer(self) -> Process:
        """Write the events of an answer."""
        for event in range(round(_ANSWER_SECONDS / UPDATE_SECONDS)):
            self._stream.offer(Record(self._name, partial(self._show, event)))
            self._new.append(event)
            if not self._is_pushing:
                self._is_pushing = True
                self._cloud.simulation.start(self._push_new())
            yield UPDATE_SECONDS

    def _push_new(self) -> Process:
        """Push from the function Think, all new events at a time."""
        while self._new:
            events, self._new = self._new, []
            yield elapsed(self._push.processor_seconds, memory_of(THINK))
            for request in self._push.requests:
                yield self._cloud.request_seconds(request.name)
                if request.name == POST:
                    for event in events:
                        self._show(event)
        self._is_pushing = False

    def _show(self, event: int) -> None:
        self._times.setdefault(event, self._cloud.simulation.now)

    def gaps(self) -> list[float]:
        """Return the seconds between two updates."""
        times = sorted(time for time in self._times.values() if time > _WARM_UP_SECONDS)
        return [after - before for before, after in pairwise(times)]


def _dead_page(stream: Stream) -> Process:
    """Write events for a connection that never answers, until the push function gives it up."""
    for _ in range(MAX_FAILURES):
        stream.offer(Record("dead", lambda: None, socket_seconds=MAX_SEND_SECONDS))
        yield MAX_SEND_SECONDS
