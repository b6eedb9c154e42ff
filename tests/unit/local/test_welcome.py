import threading
from concurrent.futures import Future
from pathlib import Path

import pytest

from local.welcome import Welcome
from satchel.domain.isolation import Isolation

Said = pytest.CaptureFixture[str]


def welcome(**listings: "Future[object]") -> Welcome:
    return Welcome("http://127.0.0.1:8000", listings, Path("/logs"), threading.Event(), Isolation())


def listing(error: Exception | None = None) -> "Future[object]":
    done: Future[object] = Future()
    if error:
        done.set_exception(error)
    else:
        done.set_result([])
    return done


def test_it_says_where_everything_is(capsys: Said) -> None:
    welcome(good=listing()).say(1.25)

    said = capsys.readouterr().out
    assert said.startswith("ready on http://127.0.0.1:8000 after 1.2 s\n")
    assert "/logs" in said
    assert "No tools" not in said


def test_each_server_without_tools_is_named_in_one_line(capsys: Said) -> None:
    reasons = [ValueError("The server 'a' did not start:\n  no such file"), ValueError("x " * 1000)]
    welcome(a=listing(reasons[0]), good=listing(), b=listing(reasons[1])).say(1)

    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("No tools")]
    assert lines[0] == "No tools of 'a': The server 'a' did not start: no such file"
    assert lines[1].startswith("No tools of 'b': x x")
    assert len(lines) == 2
    assert len(lines[1]) < 400


def test_a_server_that_fails_after_the_welcome_is_named_then(capsys: Said) -> None:
    late: Future[object] = Future()
    welcome(late=late).say(1)
    assert "No tools" not in capsys.readouterr().out

    late.set_exception(ValueError("too slow"))
    assert capsys.readouterr().out == "No tools of 'late': too slow\n"


def test_what_fails_because_the_system_stops_is_no_news(capsys: Said) -> None:
    late, never = Future[object](), Future[object]()
    stopping = welcome(late=late, never=never)
    stopping.say(1)
    capsys.readouterr()
    stopping.closing.set()
    late.set_exception(ValueError("the world has ended"))
    never.cancel()

    assert capsys.readouterr().out == ""
