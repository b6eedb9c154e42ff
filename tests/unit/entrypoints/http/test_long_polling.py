from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any, cast

import anyio
import pytest
from fastapi import FastAPI, Request

from satchel.domain.ids import TurnId
from satchel.entrypoints.http.long_polling import Pause, poll_until, preferred_wait, watch_nothing


@pytest.mark.parametrize(
    ("prefer", "seconds"),
    [
        (None, 0),
        ("", 0),
        ("wait=5", 5),
        ("wait=25", 25),
        ("wait=26", 25),
        ("wait=99999999999", 25),
        ("WAIT = 7", 7),
        ('wait="7"', 7),
        ("respond-async, wait=10", 10),
        ("return=minimal;wait=3", 3),
        ("wait=0", 0),
        ("wait=-5", 0),
        ("wait=x", 0),
        ("wait", 0),
        ("await=5", 0),
        ("handling=lenient", 0),
    ],
)
def test_preferred_wait_is_parsed_and_limited_to_25_seconds(prefer: str | None, seconds: float) -> None:
    assert preferred_wait(prefer) == seconds


def make_request(closing: Callable[[], bool] = lambda: False, pauses: list[float] | None = None) -> Request:
    """Return a request whose pauses end at once. Their requested seconds are added to ``pauses``."""

    @asynccontextmanager
    async def watch(_turn_id: TurnId) -> AsyncIterator[Pause]:
        async def pause(seconds: float) -> None:
            (pauses if pauses is not None else []).append(seconds)

        yield pause

    app = FastAPI()
    app.state.closing = closing
    app.state.watch = watch
    return Request({"type": "http", "app": app})


def reader_of(*values: int) -> tuple[Callable[[], int], list[int]]:
    """Return a function that returns the values in order and then repeats the last, and the list of its results."""
    remaining: Iterator[int] = iter(values)
    results: list[int] = []

    def read() -> int:
        results.append(next(remaining, values[-1]))
        return results[-1]

    return read, results


def test_poll_reads_again_when_the_watch_reports_a_change_of_the_turn() -> None:
    watched: list[str] = []
    pauses: list[float] = []

    @asynccontextmanager
    async def watch(turn_id: TurnId) -> AsyncIterator[Pause]:
        assert results == []  # a change after the first read is noticed
        watched.append(turn_id)

        async def pause(seconds: float) -> None:
            pauses.append(seconds)

        yield pause

    request = make_request()
    request.app.state.watch = watch
    read, results = reader_of(0, 1, 2, 3)

    assert poll(request, 25, read) == 3
    assert watched == ["t"]
    assert len(pauses) == 3


def poll(request: Request, seconds: float, read: Callable[[], int]) -> int:
    """Poll until the result is at least 3."""
    return cast(
        "int", anyio.run(cast("Any", poll_until), request, TurnId("t"), seconds, read, lambda result: result >= 3)
    )


def test_poll_returns_at_once_if_the_first_result_is_sufficient() -> None:
    read, results = reader_of(3)

    assert poll(make_request(), 25, read) == 3
    assert results == [3]


def test_poll_reads_once_a_second_until_the_result_is_sufficient() -> None:
    pauses: list[float] = []
    read, results = reader_of(0, 1, 2, 3, 4)

    assert poll(make_request(pauses=pauses), 25, read) == 3
    assert (results, pauses) == ([0, 1, 2, 3], [1.0] * 3)


def test_poll_reads_once_without_a_timeout() -> None:
    read, results = reader_of(0)
    request = make_request()
    request.app.state.watch = watch_nothing

    assert poll(request, 0, read) == 0
    assert results == [0]


def test_poll_ends_when_the_server_is_closing() -> None:
    read, results = reader_of(0)

    assert poll(make_request(lambda: len(results) >= 2), 25, read) == 0
    assert results == [0, 0]


def test_poll_raises_the_error_of_the_reader() -> None:
    def read() -> int:
        raise LookupError

    with pytest.raises(LookupError):
        poll(make_request(), 25, read)
