"""`satchel ask` from the shell to the socket and back."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event

import httpx2

from tests.integration.cli.socket_server import listening
from tests.unit.cli.fake_server import SESSION, TURN, FakeServer, artifact, file_key, response

ROOT = Path(__file__).resolve().parents[3]


def satchel(folder: Path, *arguments: str, **settings: str) -> "subprocess.Popen[str]":
    paths = os.pathsep.join([str(ROOT), str(ROOT / "layers/core/python")])
    return subprocess.Popen(  # noqa: S603  (the command under test)
        [sys.executable, "-m", "local.cli.main", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_file_goes_out_and_a_report_comes_back(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("a,b\n1,2\n")
    server = FakeServer(response(message="2 columns.", artifacts=[artifact("report.html", mime="text/html")]))
    server.contents = {file_key(1): b"<p>2"}

    with listening(server) as url:
        process = satchel(
            tmp_path, "ask", "go", "--file", "sales.csv", "--out", "reports", SATCHEL_URL=url, SATCHEL_TOKEN="secret"
        )
        out, err = process.communicate(timeout=30)

    assert (process.returncode, err) == (0, "")
    assert out == (
        "2 columns.\n"
        "\n"
        "Files\n"
        "  report.html  text/html  5B  saved reports/report.html\n"
        "\n"
        f"Session {SESSION}\n"
        f'Go on with: satchel ask --session {SESSION} "…"\n'
    )
    assert (tmp_path / "reports/report.html").read_bytes() == b"<p>2"
    assert server.uploads == [(SESSION, "sales.csv", b"a,b\n1,2\n")]
    assert {request.headers.get("Authorization") for request in server.requests} == {"Bearer secret", None}


def test_a_connection_that_is_cut_while_waiting_is_made_again(tmp_path: Path) -> None:
    server = FakeServer(faults=[httpx2.ReadError("")])

    with listening(server) as url:
        process = satchel(tmp_path, "ask", "go", "--url", url, "--user", "ann")
        out, err = process.communicate(timeout=30)

    assert (process.returncode, err) == (0, "")
    assert out.startswith("Done.\n")
    assert {request.headers.get("X-Satchel-User") for request in server.requests} == {"ann"}


def test_ctrl_c_ends_the_wait_but_not_the_turn(tmp_path: Path) -> None:
    asked = Event()

    with listening(FakeServer(), held=Event(), asked=asked) as url:
        process = satchel(tmp_path, "ask", "go", "--url", url)
        assert asked.wait(timeout=30)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)

    assert (process.returncode, out) == (130, "")
    assert err == f"Turn {TURN} goes on without us: {url}/api/sessions/{SESSION}/turns/{TURN}\nsatchel: interrupted\n"


def test_a_server_that_is_not_there_is_said_in_one_line(tmp_path: Path) -> None:
    with listening(FakeServer()) as url:
        pass
    process = satchel(tmp_path, "ask", "go", "--url", url)
    out, err = process.communicate(timeout=30)

    assert (process.returncode, out) == (2, "")
    assert err.startswith(f"satchel: No server answers at {url} (")
    assert err.count("\n") == 1
