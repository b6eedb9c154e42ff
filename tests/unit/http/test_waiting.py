from collections.abc import Callable, Iterator
from typing import Any, cast

import anyio
import pytest
from fastapi import FastAPI, Request

from satchel.entrypoints.http.long_polling import preferred_wait, until


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
def test_the_wait_that_is_preferred_is_read_and_bounded(prefer: str | None, seconds: float) -> None:
    assert preferred_wait(prefer) == seconds


def a_request(closing: Callable[[], bool] = lambda: False) -> Request:
    app = FastAPI()
    app.state.closing = closing
    return Request({"type": "http", "app": app})


def looks(*seen: int) -> tuple[Callable[[], int], list[int]]:
    """A look that sees one after the other, and stays with the last; and what was seen."""
    rest: Iterator[int] = iter(seen)
    made: list[int] = []

    def look() -> int:
        made.append(next(rest, seen[-1]))
        return made[-1]

    return look, made


def wait(request: Request, seconds: float, look: Callable[[], int]) -> int:
    return cast("int", anyio.run(cast("Any", until), request, seconds, look, lambda seen: seen >= 3))


def test_what_is_there_already_is_not_waited_for() -> None:
    look, made = looks(3)

    assert wait(a_request(), 25, look) == 3
    assert made == [3]


def test_it_looks_until_it_has_seen_enough() -> None:
    look, made = looks(0, 1, 2, 3, 4)

    assert wait(a_request(), 25, look) == 3
    assert made == [0, 1, 2, 3]


def test_without_time_it_looks_once() -> None:
    look, made = looks(0)

    assert wait(a_request(), 0, look) == 0
    assert made == [0]


def test_a_server_that_closes_is_waited_for_no_longer() -> None:
    look, made = looks(0)

    assert wait(a_request(lambda: len(made) >= 2), 25, look) == 0
    assert made == [0, 0]


def test_what_a_look_raises_comes_out() -> None:
    def look() -> int:
        raise LookupError

    with pytest.raises(LookupError):
        wait(a_request(), 25, look)
