"""The table's stream, and the function that pushes the events of turns to open pages."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from zlib import crc32

from infra import sources
from tests.bench.aws_time import delays
from tests.bench.aws_time.cloud import Cloud
from tests.bench.aws_time.simulation import Process, Signal
from tests.bench.aws_time.trace import POST, Invocation, Turn

PUSH = "Push"


@dataclass(frozen=True)
class Record:
    """An event of a turn. ``shown`` is called when the page has received it. ``socket_seconds`` overrides its post."""

    turn: str
    shown: Callable[[], None]
    socket_seconds: float | None = None


def push_of(turn: Turn) -> Invocation:
    """Return the shortest invocation of a recorded turn that pushes events, with one message only."""
    pushes = [each for each in turn if each.function == PUSH]
    posting = [each for each in pushes if any(request.name == POST for request in each.requests)]
    shortest = min(posting, key=lambda each: len(each.requests))
    posts = [index for index, request in enumerate(shortest.requests) if request.name == POST]
    return replace(shortest, requests=shortest.requests[: posts[0] + 1] + shortest.requests[posts[-1] + 1 :])


class Stream:
    """Delivers records to the push function: each shard in up to ``ParallelizationFactor`` batches at a time.

    All records of a partition key go to the same shard and the same one of its parallel batches, in order.
    """

    def __init__(self, cloud: Cloud, push: Invocation, *, shards: int = delays.SHARDS) -> None:
        definition = sources.load_definition("stream")
        factor = cloud.deployment.factor or definition["ParallelizationFactor"]
        self._cloud = cloud
        self._push = push
        self._batch_size: int = definition["BatchSize"]
        self._lanes = [_Lane() for _ in range(shards * factor)]

    def offer(self, record: Record) -> None:
        """Add a record."""
        lane = self._lanes[crc32(record.turn.encode()) % len(self._lanes)]
        lane.records.append(record)
        if not lane.busy:
            lane.busy = True
            self._cloud.simulation.start(self._deliver(lane))

    def _deliver(self, lane: "_Lane") -> Process:
        yield self._cloud.uniform(delays.POLL_SECONDS)
        while lane.records:
            yield self._cloud.sample(delays.POLL)
            batch, lane.records = lane.records[: self._batch_size], lane.records[self._batch_size :]
            yield from self._invoke(batch)
        lane.busy = False

    def _invoke(self, batch: list[Record]) -> Process:
        """Push the turns of a batch in parallel threads, which share one core."""
        pool = (PUSH, "")
        end = yield from self._cloud.enter(pool)
        turns: dict[str, list[Record]] = {}
        for record in batch:
            turns.setdefault(record.turn, []).append(record)
        cpu = self._cloud.processor_share(self._push) * (len(self._push.requests) + 1)
        ended: list[Signal] = [
            self._cloud.simulation.start(self._push_turn(records), delay=cpu * number)
            for number, records in enumerate(turns.values(), 1)
        ]
        yield from ended
        self._cloud.leave(pool, end)

    def _push_turn(self, records: list[Record]) -> Process:
        for request in self._push.requests:
            socket_seconds = records[0].socket_seconds if request.name == POST else None
            yield self._cloud.request_seconds(request.name) if socket_seconds is None else socket_seconds
            if request.name == POST and socket_seconds is None:
                for record in records:
                    record.shown()


class _Lane:
    """One of the parallel batches of a shard."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.busy = False
