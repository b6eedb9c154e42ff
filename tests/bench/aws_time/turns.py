"""The time of turns on AWS without the time of the model and the tool, with several people at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import quantiles

from tests.bench.aws_time import delays
from tests.bench.aws_time.cloud import DEPLOYED, INVOKE, RUNNER, Cloud, Deployment, OnRequest
from tests.bench.aws_time.simulation import Process, Signal, Simulation
from tests.bench.aws_time.stream import Record, Stream, push_of
from tests.bench.aws_time.trace import FIRST_PIECE, POST, Invocation, Turn

PEOPLE = (1, 10, 100)
_PAUSE_SECONDS = 30.0  # from one message of a person to the next
_MIN_SAMPLES = 1_000
START = "stepfunctions.StartExecution"
SUCCESS = "stepfunctions.SendTaskSuccess"


@dataclass(frozen=True)
class Scenario:
    """A kind of recorded turn, and how many rounds of tool calls it has in the simulation."""

    title: str
    kind: str
    rounds: int


SCENARIOS = (
    Scenario("talk", "talk", 0),
    Scenario("one tool call", "tool", 1),
    Scenario("two rounds of tool calls", "tool", 2),
    Scenario("a tool that reads a file and creates two", "file", 1),
)


@dataclass
class Times:
    """Seconds from sending a message to the model's first text on the page, and to the end of the turn on the page.

    ``round`` has the seconds from the end of a reply with tool calls to the model's next request.
    """

    first_text: list[float] = field(default_factory=list)
    end: list[float] = field(default_factory=list)
    round: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Version:
    """A version of Satchel: the sequence of its functions in a turn, and their deployment."""

    sequence: "type[TurnOnAws]"
    deployment: Deployment = DEPLOYED


def simulate(turn: Turn, rounds: int, people: int, *, version: Version | None = None, seed: int = 1) -> Times:
    """Return the times of at least 1,000 turns. All people send a message within a second, and again 30 s later, …

    The first messages start the environments, so their times do not count.
    """
    version = version or NOW
    simulation, times = Simulation(), Times()
    cloud = Cloud(simulation, seed, version.deployment)
    stream = Stream(cloud, push_of(turn))
    messages = 1 + -(-_MIN_SAMPLES // people)
    for person in range(people):
        for number in range(messages):
            of_message = Times() if number == 0 else times
            process = version.sequence(cloud, stream, turn, f"p{person}", f"p{person}-{number}", of_message).run(rounds)
            simulation.start(process, delay=number * _PAUSE_SECONDS + cloud.uniform(1))
    simulation.run()
    return times


def simulate_first(
    turn: Turn, rounds: int, *, warm_runner: bool, version: Version | None = None, number: int = 500
) -> Times:
    """Return the times of one person's first message after a pause, when no function has an environment.

    ``warm_runner``: only the person's runner has one, for example because it was started with the session.
    """
    version = version or NOW
    times = Times()
    for seed in range(number):
        simulation = Simulation()
        cloud = Cloud(simulation, seed, version.deployment)
        if warm_runner:
            for function in {each.function for each in turn if each.function.startswith(RUNNER)}:
                cloud.warm(function, "p")
        stream = Stream(cloud, push_of(turn))
        simulation.start(version.sequence(cloud, stream, turn, "p", "p", times).run(rounds))
        simulation.run()
    return times


def percentile(values: Sequence[float], percent: int) -> float:
    """Return a percentile of the values."""
    return quantiles(values, n=100, method="inclusive")[percent - 1]


class TurnOnAws:
    """One turn: the API, the state machine with its functions, and the events that the page receives."""

    def __init__(self, cloud: Cloud, stream: Stream, turn: Turn, person: str, name: str, times: Times) -> None:
        self._cloud, self._stream, self._name, self._person, self._times = cloud, stream, name, person, times
        self._functions = _by_function(turn)
        self._began = 0.0
        self._model_called: float | None = None

    def run(self, rounds: int) -> Process:
        simulation = self._cloud.simulation
        yield from self._message(INVOKE)
        yield self._cloud.sample(delays.EVENT_QUEUE)
        calls, answers = self._functions["Think"][0], self._functions["Think"][-1]
        for number in range(rounds):
            if number == 0:
                yield from self._until(calls, START)
                yield from self._transitions(1)  # the map
            else:
                yield from self._state(_without_start(calls))
                yield from self._transitions(1)  # the choice after Think; a call that is alone needs no map
            yield from self._tool()
        yield from self._transitions(min(rounds, 1))
        yield simulation.start(self._cloud.invoke(answers, on_request=self._answer_of(answers)))

    def _message(self, start: str) -> Process:
        """Send the message: the API, until it has sent the request that starts the turn."""
        self._began = self._cloud.simulation.now
        yield self._cloud.sample(delays.HTTP_API)
        api = next(each for each in self._functions["Api"] if any(r.name == start for r in each.requests))
        yield from self._until(api, start)

    def _tool(self) -> Process:
        """Run one tool call: the state Dispatch, and the runner for which its function waits."""
        yield from self._transitions(1)
        yield from self._until(self._functions["Dispatch"][0], SUCCESS, invoked=self._functions[RUNNER][0])

    def _state(self, invocation: Invocation) -> Process:
        yield from self._transitions(1)
        yield self._cloud.simulation.start(self._cloud.invoke(invocation, on_request=self._note_model))

    def _transitions(self, number: int) -> Process:
        for _ in range(number):
            yield self._cloud.sample(delays.TRANSITION)

    def _until(self, invocation: Invocation, request: str, *, invoked: Invocation | None = None) -> Process:
        """Start an invocation, and continue when it has sent this request for the last time."""
        sent = Signal()
        last = max(index for index, each in enumerate(invocation.requests) if each.name == request)

        def on_request(index: int, name: str) -> None:
            self._note_model(index, name)
            if index == last:
                self._cloud.simulation.send(sent)
            if invoked and invocation.requests[index].events:
                self._offer()

        process = self._cloud.invoke(invocation, tenant=self._person, on_request=on_request, invoked=invoked)
        self._cloud.simulation.start(process)
        yield sent

    def _note_model(self, _index: int, name: str) -> None:
        """Record the time since the model's last request, if this is one. The model itself takes no time."""
        if name == FIRST_PIECE:
            now = self._cloud.simulation.now
            if self._model_called is not None:
                self._times.round.append(now - self._model_called)
            self._model_called = now

    def _answer_of(self, think: Invocation) -> OnRequest:
        """Return what records when the page has the first text and the turn's end. Both are events of Think."""
        first, last = first_text_of(think), last_event_of(think)
        recorded = {first: [self._times.first_text]}
        recorded.setdefault(last, []).append(self._times.end)
        return self._shown_by(think, recorded)

    def _shown_by(self, invocation: Invocation, recorded: Mapping[int, list[list[float]]]) -> OnRequest:
        """Return what records when the page has the events that the invocation's requests at these indexes write.

        The invocation's next message to the page has an event, or else the stream delivers it.
        """
        posts = [index for index, each in enumerate(invocation.requests) if each.name == POST]
        messages = {event: next((post for post in posts if post > event), None) for event in recorded}

        def on_request(index: int, name: str) -> None:
            self._note_model(index, name)
            for event, times in recorded.items():
                for each in times:
                    if index == messages[event]:
                        self._shown(each)
                    elif index == event and messages[event] is None:
                        self._offer(each)

        return on_request

    def _offer(self, shown_in: list[float] | None = None) -> None:
        def shown() -> None:
            if shown_in is not None:
                self._shown(shown_in)

        self._stream.offer(Record(self._name, shown))

    def _shown(self, times: list[float]) -> None:
        times.append(self._cloud.simulation.now - self._began)


NOW = Version(TurnOnAws)


def first_text_of(think: Invocation) -> int:
    """Return the index of the request that writes the model's first text."""
    model = next(index for index, each in enumerate(think.requests) if each.name == FIRST_PIECE)
    return next(index for index in range(model + 1, len(think.requests)) if think.requests[index].events)


def last_event_of(invocation: Invocation) -> int:
    """Return the index of the request that writes the invocation's last event."""
    return max(index for index, each in enumerate(invocation.requests) if each.events)


def _without_start(think: Invocation) -> Invocation:
    """Return a later round of calls: the first round without the start of the execution, its last request."""
    *requests, start = think.requests
    if start.name != START:
        raise ValueError(f"the last request is {start.name}, not {START}: record the turns again")
    return replace(think, requests=tuple(requests))


def _by_function(turn: Turn) -> Mapping[str, list[Invocation]]:
    functions: dict[str, list[Invocation]] = {}
    for each in turn:
        name = RUNNER if each.function.startswith(RUNNER) else each.function
        functions.setdefault(name, []).append(each)
    return functions
