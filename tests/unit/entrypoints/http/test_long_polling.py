from collections.abc import Callable, Iterator
from typing import Any, cast

import anyio
import pytest
from fastapi import FastAPI, Request

from satchel.entrypoints.http.long_polling import poll_until, preferred_wait


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


def make_request(closing: Callable[[], bool] = lambda: False) -> Request:
    app = FastAPI()
    app.state.closing = closing
    return Request({"type": "http", "app": app})


def reader_of(*values: int) -> tuple[Callable[[], int], list[int]]:
    """Return a function that returns the values in order and then repeats the last, and the list of its results."""
    remaining: Iterator[int] = iter(values)
    results: list[int] = []

    def read() -> int:
        results.append(next(remaining, values[-1]))
        return results[-1]

    return read, results


def poll(request: Request, seconds: float, read: Callable[[], int]) -> int:
    """Poll until the result is at least 3."""
    return cast("int", anyio.run(cast("Any", poll_until), request, seconds, read, lambda result: result >= 3))


def test_poll_returns_at_once_if_the_first_result_is_sufficient() -> None:
    read, results = reader_of(3)

    assert poll(make_request(), 25, read) == 3
    assert results == [3]


def test_poll_reads_until_the_result_is_sufficient() -> None:
    read, results = reader_of(0, 1, 2, 3, 4)

    assert poll(make_request(), 25, read) == 3
    assert results == [0, 1, 2, 3]


def test_poll_reads_once_without_a_timeout() -> None:
    read, results = reader_of(0)

    assert poll(make_request(), 0, read) == 0
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
