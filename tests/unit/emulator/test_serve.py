import threading
from concurrent.futures import Future
from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse

from local.emulator.entrance import Entrance
from local.emulator.serve import ReadyMessage, run
from satchel.domain.isolation import Isolation
from satchel.entrypoints.http.identity import identity_from_headers

Capture = pytest.CaptureFixture[str]


URL, NOTE = "http://127.0.0.1:8000", "The key for other clients is in /state/local-key-8000"
ENTRANCE = Entrance(URL, f"{URL}/#key=the-key", (NOTE,), lambda _: PlainTextResponse(""), identity_from_headers)


def ready_message(closing: threading.Event | None = None, **listings: "Future[object]") -> ReadyMessage:
    is_closing = (closing or threading.Event()).is_set
    return ReadyMessage(URL, ENTRANCE, listings, Path("/logs"), is_closing, Isolation(), data=None)


def listing(error: Exception | None = None) -> "Future[object]":
    done: Future[object] = Future()
    if error:
        done.set_exception(error)
    else:
        done.set_result([])
    return done


def test_ready_message_contains_url_and_log_folder(capsys: Capture) -> None:
    ready_message(good=listing()).show(1.25)

    output = capsys.readouterr().out
    assert output.startswith("ready on http://127.0.0.1:8000 after 1.2 s\n")
    assert "/logs" in output
    assert "No tools" not in output


def test_ready_message_contains_the_address_with_the_key_and_the_key_file(capsys: Capture) -> None:
    ready_message().show(1)

    lines = capsys.readouterr().out.splitlines()
    assert lines[1:3] == ["Open http://127.0.0.1:8000/#key=the-key", NOTE]


def test_failed_listing_is_reported_in_one_line(capsys: Capture) -> None:
    reasons = [ValueError("The server 'a' did not start:\n  no such file"), ValueError("x " * 1000)]
    ready_message(a=listing(reasons[0]), good=listing(), b=listing(reasons[1])).show(1)

    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("No tools")]
    assert lines[0] == "No tools of 'a': The server 'a' did not start: no such file"
    assert lines[1].startswith("No tools of 'b': x x")
    assert len(lines) == 2
    assert len(lines[1]) < 400


def test_later_failure_is_reported_when_it_happens(capsys: Capture) -> None:
    late: Future[object] = Future()
    ready_message(late=late).show(1)
    assert "No tools" not in capsys.readouterr().out

    late.set_exception(ValueError("too slow"))
    assert capsys.readouterr().out == "No tools of 'late': too slow\n"


def test_failure_during_the_stop_is_not_reported(capsys: Capture) -> None:
    late, never = Future[object](), Future[object]()
    closing = threading.Event()
    message = ready_message(closing, late=late, never=never)
    message.show(1)
    capsys.readouterr()
    closing.set()
    late.set_exception(ValueError("stopped"))
    never.cancel()

    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "satchel.example", ""])  # noqa: S104  (not opened)
@pytest.mark.parametrize("auth", [None, "local", "jwt", "Password"])
def test_other_addresses_than_loopback_need_passwords(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, host: str, auth: str | None
) -> None:
    monkeypatch.delenv("SATCHEL_AUTH", raising=False)
    if auth:
        monkeypatch.setenv("SATCHEL_AUTH", auth)

    assert run(0, host) == 1

    assert capsys.readouterr().err == (
        f"satchel: SATCHEL_HOST={host}: other machines may reach the server only with SATCHEL_AUTH=password\n"
    )
