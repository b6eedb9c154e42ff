"""Virtual time, the graphs of requests, and the page."""

from pathlib import Path

from tests.bench.aws_time import before, cloud, delays, page, push, recording, stream, trace, turns
from tests.bench.aws_time.simulation import Process, Signal, Simulation
from tests.bench.aws_time.trace import FIRST_PIECE, POST, Invocation, Request, Span

DOCS = Path(__file__).parents[3] / "docs"


def test_processes_wait_for_delays_and_for_one_another() -> None:
    simulation, log = Simulation(), []
    signal = Signal()

    def waiting() -> Process:
        yield signal
        log.append(("waiting", simulation.now))

    def sending() -> Process:
        yield 2.0
        simulation.send(signal)
        yield simulation.start(waiting(), delay=1)
        log.append(("sending", simulation.now))

    simulation.start(waiting())
    simulation.start(sending())
    simulation.run()
    assert log == [("waiting", 2.0), ("waiting", 3.0), ("sending", 3.0)]


def test_request_waits_for_the_last_requests_that_had_ended_when_it_began() -> None:
    spans = [Span("a", 0, 1), Span("b", 1.1, 2), Span("c", 1.2, 3), Span("d", 3.1, 4), Span("e", 2.1, 5)]
    requests = trace.find_dependencies(spans)
    assert {each.name: [requests[index].name for index in each.after] for each in requests} == {
        "a": [],
        "b": ["a"],
        "c": ["a"],
        "e": ["b"],
        "d": ["b", "c"],
    }
    assert Invocation("Think", 0.0, requests).depth == 3


def test_traces_are_read_as_they_were_written(tmp_path: Path) -> None:
    recorded = {"talk": [Invocation("Think", 0.02, (Request("dynamodb.GetItem", ()), Request(FIRST_PIECE, (0,))))]}
    trace.write(recorded, tmp_path / "turns.json")
    assert trace.read(tmp_path / "turns.json") == recorded


def test_parallel_requests_take_as_long_as_the_slowest() -> None:
    requests = (Request("s3.GetObject", ()), Request("s3.GetObject", ()), Request("dynamodb.GetItem", (0, 1)))
    ended: list[tuple[float, str]] = []
    simulation = Simulation()
    aws = cloud.Cloud(simulation)
    invocation = Invocation("Think", 0.0, requests)
    simulation.start(aws.invoke(invocation, on_request=lambda _index, name: ended.append((simulation.now, name))))
    simulation.run()
    assert [name for _, name in ended] == ["s3.GetObject", "s3.GetObject", "dynamodb.GetItem"]
    assert dict(aws.cold_starts) == {"Think": 1}


def test_function_waits_for_the_end_of_the_function_that_it_invokes() -> None:
    ended: list[str] = []
    simulation = Simulation()
    aws = cloud.Cloud(simulation)
    runner = Invocation("Runreport", 0.0, tuple(Request("s3.GetObject", ()) for _ in range(3)))
    caller = Invocation("Dispatch", 0.0, (Request(cloud.INVOKE, ()), Request("dynamodb.GetItem", (0,))))

    def watch(index: int, name: str) -> None:
        ended.append(name)
        if index == 0:
            simulation.start(aws.invoke(runner, tenant="ada"))

    simulation.start(aws.invoke(caller, tenant="ada", invoked=runner, on_request=watch))
    simulation.run()
    assert ended == [cloud.INVOKE, "dynamodb.GetItem"]
    assert dict(aws.cold_starts) == {"Dispatch": 1, "Runreport": 1}  # the runner had ended: its environment was idle


def test_processor_time_of_a_recorded_invocation_is_the_median_of_all_turns() -> None:
    def turn(*seconds: float) -> list[Invocation]:
        return [Invocation(name, each, ()) for name, each in zip(("Think", "Run", "Think"), seconds, strict=True)]

    recorded = [turn(1, 5, 9), turn(2, 50, 8), turn(30, 6, 7)]
    assert recording.with_median_times(recorded[0], recorded) == turn(2, 6, 8)


def test_environment_is_used_again_unless_it_is_busy() -> None:
    simulation = Simulation()
    aws = cloud.Cloud(simulation)
    requests = [Request("dynamodb.GetItem", (number - 1,) if number else ()) for number in range(50)]
    invocation = Invocation("Finish", 0.0, tuple(requests))
    for delay in (0, 60, 60, 120):
        simulation.start(aws.invoke(invocation), delay=delay)
    simulation.run()
    assert dict(aws.cold_starts) == {"Finish": 2}


def test_events_of_a_turn_are_shown_in_order_and_all_are_shown() -> None:
    simulation, shown = Simulation(), []
    pushing = stream.push_of(trace.read()["talk"])
    table_stream = stream.Stream(cloud.Cloud(simulation), pushing)
    for number in range(300):
        table_stream.offer(stream.Record(f"t{number % 3}", lambda number=number: shown.append(number)))  # type: ignore[misc]
    simulation.run()
    assert sorted(shown) == list(range(300))
    assert [number for number in shown if number % 3 == 0] == list(range(0, 300, 3))


def test_every_recorded_request_has_a_delay() -> None:
    recorded = [turn for path in (trace.TRACES, before.TRACES) for turn in trace.read(path).values()]
    names = {request.name for turn in recorded for each in turn for request in each.requests}
    assert names <= delays.REQUESTS.keys() | {FIRST_PIECE}


def test_time_of_a_round_is_the_difference_between_turns() -> None:
    recorded = trace.read()
    one, two = (turns.simulate(recorded["tool"], rounds, 10) for rounds in (1, 2))
    assert turns.percentile(two.end, 50) > turns.percentile(one.end, 50)
    # A short answer and the end of its turn may arrive in one message.
    assert turns.percentile(one.end, 50) >= turns.percentile(one.first_text, 50)


def test_round_lasts_from_one_request_of_the_model_to_the_next() -> None:
    recorded = trace.read()
    assert turns.simulate(recorded["talk"], 0, 100).round == []
    one, two = (turns.simulate(recorded["tool"], rounds, 100) for rounds in (1, 2))
    assert len(two.round) == 2 * len(one.round) == 2 * len(two.end)
    both = turns.percentile(two.end, 50) - turns.percentile(one.end, 50)
    assert 0.9 < turns.percentile(two.round, 50) / both < 1.1


def test_version_before_runs_its_own_sequence_of_functions() -> None:
    earlier, now = trace.read(before.TRACES), trace.read()
    for kind, rounds in (("talk", 0), ("tool", 2)):
        old = turns.simulate(earlier[kind], rounds, 10, version=before.VERSION)
        new = turns.simulate(now[kind], rounds, 10)
        assert len(old.first_text) == len(old.end) == len(new.end)
        # Finish ended the turn, after the whole answer was on the page.
        assert turns.percentile(old.first_text, 50) < turns.percentile(old.end, 50)
        assert turns.percentile(new.end, 50) < turns.percentile(old.first_text, 50)


def test_first_message_is_faster_if_the_runner_is_warm() -> None:
    recorded = trace.read()["tool"]
    cold, warm = (turns.simulate_first(recorded, 1, warm_runner=warm, number=50) for warm in (False, True))
    assert turns.percentile(warm.end, 50) + 2 < turns.percentile(cold.end, 50)


def test_pages_of_400_people_have_an_update_each_half_second() -> None:
    gaps = push.simulate(trace.read()["talk"], dead=True)
    assert turns.percentile(gaps.seconds, 99) < push.MAX_GAP_SECONDS


def test_page_is_up_to_date() -> None:
    text = (DOCS / "benchmarks-aws.md").read_text(encoding="utf-8")
    assert text == page.document(trace.read()), "update it: make bench BENCH=--aws"


def test_push_of_a_turn_posts_once() -> None:
    names = [request.name for request in stream.push_of(trace.read()["talk"]).requests]
    assert names.count(POST) == 1
