"""The decorator of all handlers: log lines with the turn id, and metrics."""

import io
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import pytest
from aws_lambda_powertools.logging.formatter import THREAD_LOCAL_KEYS, LambdaPowertoolsFormatter

from local.emulator.runners.context import LambdaContext
from satchel.bootstrap import observed
from satchel.bootstrap.observed import metrics
from satchel.domain.ids import TurnId
from satchel.domain.metrics import TURNS
from tests.unit.functions.test_handlers import HANDLERS

TURN = TurnId("t" + "0" * 26)
CONTEXT = LambdaContext(function_name="satchel-think", invoked_function_arn="", deadline=0)
log = logging.getLogger("tests.observed")


@pytest.fixture(autouse=True)
def _new_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("SATCHEL_METRICS", raising=False)
    before = THREAD_LOCAL_KEYS.get()
    metrics.cache_clear()
    yield
    THREAD_LOCAL_KEYS.set(before)
    metrics.cache_clear()


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """The log lines as powertools formats them."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(LambdaPowertoolsFormatter())
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    yield stream
    log.removeHandler(handler)


def written_metrics(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return [{name: value for name, value in each.items() if name != "_aws"} for each in lines]


@observed.observed("think")
def think(event: object, context: object) -> str:
    """An observed handler that logs a line and counts a turn."""
    del event, context
    log.info("message", extra={"round": 1})
    metrics().add(TURNS, 1, "complete")
    return "done"


def test_log_lines_have_turn_id_and_request_id(lines: io.StringIO) -> None:
    assert think({"turn_id": TURN}, CONTEXT) == "done"
    entry = json.loads(lines.getvalue())
    assert (entry["message"], entry["round"]) == ("message", 1)
    assert (entry["correlation_id"], entry["function_request_id"]) == (TURN, CONTEXT.aws_request_id)


def test_log_lines_without_a_turn_have_no_correlation_id(lines: io.StringIO) -> None:
    think({"turn_id": TURN}, CONTEXT)
    think({}, CONTEXT)
    first, second = map(json.loads, lines.getvalue().splitlines())
    assert ("correlation_id" in first, "correlation_id" in second) == (True, False)


def test_with_turn_id_adds_the_id_of_each_turn_to_its_log_lines(lines: io.StringIO) -> None:
    work = observed.with_turn_id(lambda turn: log.info("pushed", extra={"turn": turn}))
    other = TurnId("t" + "1" * 26)
    work(TURN)
    work(other)
    entries = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert [each["correlation_id"] for each in entries] == [each["turn"] for each in entries] == [TURN, other]


def test_metrics_are_written_at_the_end_of_each_invocation(capsys: pytest.CaptureFixture[str]) -> None:
    think({}, CONTEXT)
    assert written_metrics(capsys) == [{"Status": "complete", "Turns": [1]}]
    think({}, CONTEXT)
    assert written_metrics(capsys) == [{"Status": "complete", "Turns": [1]}]


def test_metrics_of_a_failed_invocation_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    @observed.observed("finish")
    def finish(event: object, context: object) -> None:
        del event, context
        metrics().add(TURNS, 1, "failed")
        raise LookupError

    with pytest.raises(LookupError):
        finish({}, CONTEXT)
    assert {"Status": "failed", "Turns": [1]} in written_metrics(capsys)


def test_metrics_can_be_turned_off(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_METRICS", "off")
    think({}, CONTEXT)
    assert written_metrics(capsys) == []


@pytest.mark.parametrize(
    "event",
    [
        {"turn_id": TURN, "call_id": f"{TURN}-00-00"},
        {"detail": {"status": "ABORTED", "input": json.dumps({"turn_id": TURN})}},
        {"rawPath": f"/api/sessions/s{'0' * 26}/turns/{TURN}"},
        {"rawPath": f"/api/sessions/s{'0' * 26}/turns/{TURN}/events"},
        {"requestContext": {}, "body": f'{{"action": "subscribe", "turn_id": "{TURN}"}}'},
    ],
)
def test_turn_id_is_found_in_the_events_of_all_senders(event: object) -> None:
    assert observed.find_turn_id(event) == TURN


@pytest.mark.parametrize(
    "event", [{}, None, {"turn_id": 3}, {"rawPath": "/api/files"}, {"rawPath": "/turns/../x"}, {"body": None}]
)
def test_turn_id_is_none_for_other_events(event: object) -> None:
    assert observed.find_turn_id(event) is None


@pytest.mark.parametrize("handler", HANDLERS, ids=lambda path: path.parent.name)
def test_every_handler_is_observed_with_the_name_of_its_function(handler: Any) -> None:  # noqa: ANN401  (a path)
    text = handler.read_text(encoding="utf-8")
    assert f'@observed("{handler.parent.name}")\ndef handler(' in text


def test_concurrent_invocations_wait_for_the_setup_of_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    with ThreadPoolExecutor(1) as executor:
        second: list[Future[object]] = []
        finished_early: list[bool] = []

        def set_up(service: str) -> str:
            if service == "first":
                second.append(executor.submit(observed.set_up_logs, "second"))
                finished_early.append(bool(wait(second, timeout=0.1).done))
            return service

        monkeypatch.setattr(observed, "_set_up_logs", set_up)
        first: object = observed.set_up_logs("first")
        assert (first, second[0].result(60), finished_early) == ("first", "second", [False])


def test_garbage_is_collected_from_the_first_event_on_without_imported_objects() -> None:
    program = """
import gc
import satchel.bootstrap
from satchel.bootstrap.observed import observed
before = gc.get_threshold()[0]
observed("think")(lambda event, context: None)({}, None)
print(before > 1_000_000, gc.get_threshold()[0], gc.get_freeze_count() > 10_000)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603  (this interpreter)
    assert done.stdout.split() == ["True", "50000", "True"]
