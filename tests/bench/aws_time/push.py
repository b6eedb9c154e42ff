"""The updates of open pages while many people's answers are streamed at once, and one connection answers nothing."""

from dataclasses import dataclass
from itertools import pairwise

from satchel.adapters.clients import MAX_SEND_SECONDS
from satchel.domain.connections import MAX_FAILURES
from satchel.services.turns.token_streamer import UPDATE_SECONDS
from tests.bench.aws_time.cloud import Cloud
from tests.bench.aws_time.simulation import Process, Simulation
from tests.bench.aws_time.stream import Record, Stream, push_of
from tests.bench.aws_time.trace import Turn

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


def simulate(turn: Turn, *, people: int = PEOPLE, dead: bool = False, factor: int | None = None, seed: int = 1) -> Gaps:
    """Return the gaps of pages whose answers are streamed for 30 s. ``factor`` overrides the deployed parallelization.

    If ``dead`` is set, the connection of one more person answers no request after 15 s. Its own gaps do not count.
    """
    simulation = Simulation()
    cloud = Cloud(simulation, seed)
    stream = Stream(cloud, push_of(turn), factor=factor)
    pages = [_Page(stream, f"p{number}", simulation) for number in range(people)]
    for page in pages:
        simulation.start(page.answer(), delay=cloud.uniform(UPDATE_SECONDS))
    if dead:
        simulation.start(_dead_page(stream), delay=_DEAD_AT)
    simulation.run()
    return Gaps([gap for page in pages for gap in page.gaps()])


class _Page:
    """An open page, and the times of its updates."""

    def __init__(self, stream: Stream, name: str, simulation: Simulation) -> None:
        self._stream, self._name, self._simulation = stream, name, simulation
        self._times: list[float] = []

    def answer(self) -> Process:
        """Write the events of an answer."""
        for _ in range(round(_ANSWER_SECONDS / UPDATE_SECONDS)):
            self._stream.offer(Record(self._name, lambda: self._times.append(self._simulation.now)))
            yield UPDATE_SECONDS

    def gaps(self) -> list[float]:
        times = [time for time in self._times if time > _WARM_UP_SECONDS]
        return [after - before for before, after in pairwise(times)]


def _dead_page(stream: Stream) -> Process:
    """Write events for a connection that never answers, until the push function gives it up."""
    for _ in range(MAX_FAILURES):
        stream.offer(Record("dead", lambda: None, socket_seconds=MAX_SEND_SECONDS))
        yield MAX_SEND_SECONDS
