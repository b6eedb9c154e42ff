"""Tests of `satchel ask` as a process that sends real HTTP requests."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from threading import Event

import httpx2

from tests.integration.cli.socket_server import serve_on_socket
from tests.unit.cli.fake_server import SESSION, TURN, FakeServer, artifact, file_key, response

ROOT = Path(__file__).resolve().parents[3]


def start_satchel(folder: Path, *arguments: str, **settings: str) -> "subprocess.Popen[str]":
    paths = os.pathsep.join([str(ROOT), str(ROOT / "layers/core/python")])
    return subprocess.Popen(  # noqa: S603  (the command under test)
        [sys.executable, "-m", "local.cli.main", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_file_is_uploaded_and_report_is_saved(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("a,b\n1,2\n")
    server = FakeServer(response(message="2 columns.", artifacts=[artifact("report.html", mime="text/html")]))
    server.contents = {file_key(1): b"<p>2"}

    with serve_on_socket(server) as url:
        process = start_satchel(
            tmp_path, "ask", "go", "--file", "sales.csv", "--out", "reports", SATCHEL_URL=url, SATCHEL_TOKEN="secret"
        )
        out, err = process.communicate(timeout=180)

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


def test_connection_broken_during_the_wait_is_retried(tmp_path: Path) -> None:
    server = FakeServer(faults=[httpx2.ReadError("")])

    with serve_on_socket(server) as url:
        process = start_satchel(tmp_path, "ask", "go", "--url", url, "--user", "ann")
        out, err = process.communicate(timeout=180)

    assert (process.returncode, err) == (0, "")
    assert out.startswith("Done.\n")
    assert {request.headers.get("X-Satchel-User") for request in server.requests} == {"ann"}


def test_ctrl_c_stops_the_wait_but_not_the_turn(tmp_path: Path) -> None:
    requested = Event()

    with serve_on_socket(FakeServer(), release=Event(), requested=requested) as url:
        process = start_satchel(tmp_path, "ask", "go", "--url", url)
        assert requested.wait(timeout=180)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=180)

    assert (process.returncode, out) == (130, "")
    assert (
        err == f"Turn {TURN} continues on the server: {url}/api/sessions/{SESSION}/turns/{TURN}\nsatchel: interrupted\n"
    )


def test_unreachable_server_is_reported_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))  # and does not listen
        url = f"http://127.0.0.1:{reserved.getsockname()[1]}"
        process = start_satchel(tmp_path, "ask", "go", "--url", url)
        out, err = process.communicate(timeout=180)

    assert (process.returncode, out) == (2, "")
    assert err.startswith(f"satchel: No server answers at {url} (")
    assert err.count("\n") == 1
