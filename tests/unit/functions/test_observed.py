"""What every function does around its work."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from aws_lambda_powertools.logging.formatter import THREAD_LOCAL_KEYS, LambdaPowertoolsFormatter
from satchel.bootstrap.observed import metrics

from local.emulator.runners.context import LambdaContext
from satchel.bootstrap import observed
from satchel.domain.metrics import TURNS
from tests.unit.functions.test_handlers import HANDLERS

TURN = "t" + "0" * 26
CONTEXT = LambdaContext(function_name="satchel-think", invoked_function_arn="", deadline=0)
log = logging.getLogger("tests.observed")


@pytest.fixture(autouse=True)
def _a_new_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(observed, "set_up_logs", lambda _: None)
    monkeypatch.delenv("SATCHEL_METRICS", raising=False)
    caches = (metrics, vars(observed)["_count_start"])
    before = THREAD_LOCAL_KEYS.get()
    for cache in caches:
        cache.cache_clear()
    yield
    THREAD_LOCAL_KEYS.set(before)
    for cache in caches:
        cache.cache_clear()


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What is logged, as powertools writes it."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(LambdaPowertoolsFormatter())
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    yield stream
    log.removeHandler(handler)


def figures(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return [{name: value for name, value in each.items() if name != "_aws"} for each in found]


@observed.observed("think")
def think(event: object, context: object) -> str:
    """A handler."""
    del event, context
    log.info("thought", extra={"round": 1})
    metrics().add(TURNS, 1, "complete")
    return "done"


def test_its_lines_name_the_turn_and_the_invocation(lines: io.StringIO) -> None:
    assert think({"turn_id": TURN}, CONTEXT) == "done"
    said = json.loads(lines.getvalue())
    assert (said["message"], said["round"]) == ("thought", 1)
    assert (said["correlation_id"], said["function_request_id"]) == (TURN, CONTEXT.aws_request_id)


def test_the_lines_of_an_invocation_about_no_turn_name_none_of_another(lines: io.StringIO) -> None:
    think({"turn_id": TURN}, CONTEXT)
    think({}, CONTEXT)
    first, second = map(json.loads, lines.getvalue().splitlines())
    assert ("correlation_id" in first, "correlation_id" in second) == (True, False)


def test_work_on_several_turns_names_each(lines: io.StringIO) -> None:
    work = observed.about_turns(lambda turn: log.info("pushed", extra={"turn": turn}))
    other = "t" + "1" * 26
    work(TURN)
    work(other)
    said = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert [each["correlation_id"] for each in said] == [each["turn"] for each in said] == [TURN, other]


def test_its_figures_are_written_at_its_end_and_its_start_is_counted_once(capsys: pytest.CaptureFixture[str]) -> None:
    think({}, CONTEXT)
    assert figures(capsys) == [{"Function": "think", "ColdStarts": [1]}, {"Status": "complete", "Turns": [1]}]
    think({}, CONTEXT)
    assert figures(capsys) == [{"Status": "complete", "Turns": [1]}]


def test_the_figures_of_one_that_fails_are_written_all_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    @observed.observed("finish")
    def finish(event: object, context: object) -> None:
        del event, context
        metrics().add(TURNS, 1, "failed")
        raise LookupError

    with pytest.raises(LookupError):
        finish({}, CONTEXT)
    assert {"Status": "failed", "Turns": [1]} in figures(capsys)


def test_they_can_be_turned_off(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_METRICS", "off")
    think({}, CONTEXT)
    assert figures(capsys) == []


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
def test_the_turn_is_found_in_what_each_sender_sends(event: object) -> None:
    assert observed.turn_of(event) == TURN


@pytest.mark.parametrize(
    "event", [{}, None, {"turn_id": 3}, {"rawPath": "/api/files"}, {"rawPath": "/turns/../x"}, {"body": None}]
)
def test_there_may_be_none(event: object) -> None:
    assert observed.turn_of(event) is None


@pytest.mark.parametrize("handler", HANDLERS, ids=lambda path: path.parent.name)
def test_every_function_is_observed_by_its_name(handler: Any) -> None:  # noqa: ANN401  (a path)
    text = handler.read_text(encoding="utf-8")
    assert f'@observed("{handler.parent.name}")\ndef handler(' in text
