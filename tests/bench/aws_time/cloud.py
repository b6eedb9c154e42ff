"""Functions and requests on AWS, in virtual time."""

import random
from collections import defaultdict
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from functools import partial

from infra.limits import MEMORY_MB
from infra.run_time import elapsed, read_measured
from tests.bench.aws_time import delays
from tests.bench.aws_time.delays import REQUESTS, Delay
from tests.bench.aws_time.simulation import Process, Signal, Simulation
from tests.bench.aws_time.trace import FIRST_PIECE, Invocation

OnRequest = Callable[[int, str], None]
"""Called with the index and the name of a request that has ended."""

INVOKE = "lambda.Invoke"
RUNNER = "Run"
"""How the names of the runners begin, of which each server has one."""


def memory_of(function: str) -> int:
    """Return the memory of a function in MB by its name in a trace."""
    return MEMORY_MB[folder_of(function)]


def folder_of(function: str) -> str:
    """Return the folder of a function by its name in a trace."""
    if function.startswith(RUNNER):
        return "run_tool"
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in function).lstrip("_")


def start_seconds(function: str) -> float:
    """Return the processor time in which a new environment of a function starts. Lambda gives a start a full core."""
    times: Mapping[str, Mapping[str, float]] = read_measured()[1]  # type: ignore[assignment]  # a TypedDict is a mapping
    return times[folder_of(function)]["start"]


@dataclass(frozen=True)
class Deployment:
    """The memory of each function in MB by its name, and the seconds in which one of its environments starts.

    ``factor`` overrides how many batches of a shard are pushed at a time.
    """

    memory_of: Callable[[str], int] = memory_of
    start_of: Callable[[str], float] = start_seconds
    factor: int | None = None


DEPLOYED = Deployment()


class Cloud:
    """All functions, with their environments. An environment handles one invocation at a time."""

    def __init__(self, simulation: Simulation, seed: int = 1, deployment: Deployment = DEPLOYED) -> None:
        self.simulation = simulation
        self.deployment = deployment
        self._rng = random.Random(seed)  # noqa: S311  (a simulation)
        self._idle: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        self.cold_starts: defaultdict[str, int] = defaultdict(int)

    def sample(self, delay: Delay) -> float:
        """Return a random time in seconds."""
        return delay.sample(self._rng)

    def exponential(self, mean: float) -> float:
        """Return a random time with this mean in seconds."""
        return self._rng.expovariate(1 / mean)

    def uniform(self, maximum: float) -> float:
        """Return a random time below a maximum in seconds."""
        return self._rng.uniform(0, maximum)

    def request_seconds(self, name: str) -> float:
        """Return the random time of a request. The model's own time is not part of any figure, so it takes none."""
        if name == FIRST_PIECE:
            return 0.0
        throttled = self._rng.random() < delays.THROTTLE_PROBABILITY
        return self.sample(REQUESTS[name]) + (self.sample(delays.THROTTLE) if throttled else 0)

    def invoke(
        self,
        invocation: Invocation,
        *,
        tenant: str = "",
        on_request: OnRequest | None = None,
        invoked: Invocation | None = None,
    ) -> Process:
        """Run an invocation: its requests in their recorded order, each as soon as those before it have ended.

        Its request ``lambda.Invoke``, if any, waits for the end of the invocation ``invoked``, of the same tenant.
        """
        pool = (invocation.function, tenant if invocation.function.startswith(RUNNER) else "")
        end = yield from self.enter(pool)
        cpu = self.processor_share(invocation)
        ended: list[Signal] = []
        for index, request in enumerate(invocation.requests):
            earlier = [ended[before] for before in request.after]
            nested = self.invoke(invoked, tenant=tenant) if invoked and request.name == INVOKE else None
            process = self._request(request.name, cpu, earlier, nested, partial(on_request or _ignore, index))
            ended.append(self.simulation.start(process))
        yield from ended
        yield cpu
        self.leave(pool, end)

    def processor_share(self, invocation: Invocation) -> float:
        """Return the seconds of processor time before each request, at the function's share of a core."""
        seconds = elapsed(invocation.processor_seconds, self.deployment.memory_of(invocation.function))
        return seconds / (len(invocation.requests) + 1)

    def enter(self, pool: tuple[str, str]) -> Generator["float | Signal", None, float]:
        """Wait for an environment: an idle one, or a new one. Return the time at which AWS will end it."""
        function, tenant = pool
        yield self.sample(delays.INVOCATION)
        while self._idle[pool]:
            if (end := self._idle[pool].pop()) > self.simulation.now:
                return end
        self.cold_starts[function] += 1
        server = self.sample(delays.SERVER_START) if tenant else 0
        yield self.sample(delays.COLD_PLATFORM) + self.deployment.start_of(function) + server
        return self.simulation.now + self.exponential(delays.LIFETIME_SECONDS)

    def leave(self, pool: tuple[str, str], end: float) -> None:
        """Return an environment to the idle ones. Lambda keeps it for minutes, longer than a person's pauses."""
        self._idle[pool].append(end)

    def warm(self, function: str, tenant: str) -> None:
        """Start an environment of a runner for a user in advance."""
        self.leave((function, tenant), self.simulation.now + self.exponential(delays.LIFETIME_SECONDS))

    def _request(
        self, name: str, cpu: float, earlier: list[Signal], nested: Process | None, on_end: Callable[[str], None]
    ) -> Process:
        yield from earlier
        yield cpu + self.request_seconds(name)
        if nested:
            yield self.simulation.start(nested)
        on_end(name)


def _ignore(_index: int, _name: str) -> None:
    """Do nothing when a request has ended."""
