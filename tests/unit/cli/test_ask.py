"""Tests of `satchel ask`: its output, its exit codes and its requests."""

from pathlib import Path

import httpx2
import pytest

from local.cli.ask import Question, ask_question
from local.cli.connection import Connection
from tests.unit.cli.fake_server import CALL, SESSION, TURN, FakeServer, artifact, deferred, problem, response

URL = "http://satchel.test"
FAILED = {"is_error": True, "error_code": "E_TIMEOUT", "suggestion": None, "results": None, "meta_data": None}
SESSION_LINES = f'\nSession {SESSION}\nGo on with: satchel ask --session {SESSION} "…"\n'


def ask(server: FakeServer, message: str = "hello", *, delays: list[float] | None = None, **options: object) -> int:
    delays = [] if delays is None else delays
    question = Question(message=message, **options)  # type: ignore[arg-type]  # each test sets fields of its own
    return ask_question(Connection(URL, transport=httpx2.MockTransport(server), sleep=delays.append), question)


def test_message_is_sent_in_a_new_session_and_its_answer_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    server = FakeServer(response(message="Good day."))

    assert ask(server, "good day") == 0
    assert server.chosen_models == []
    assert server.turn_requests == [{"message": "good day"}]
    assert capsys.readouterr() == (f"Good day.\n{SESSION_LINES}", "")


def test_given_session_is_continued(capsys: pytest.CaptureFixture[str]) -> None:
    server = FakeServer()

    assert ask(server, session=SESSION) == 0
    assert [request.url.path for request in server.requests if request.method == "POST"] == [
        f"/api/sessions/{SESSION}/turns"
    ]
    assert capsys.readouterr().out == f"Done.\n{SESSION_LINES}"


@pytest.mark.parametrize("session", [None, SESSION])
def test_model_is_set_for_a_new_or_a_continued_session(session: str | None) -> None:
    server = FakeServer()

    assert ask(server, session=session, model="careful") == 0
    assert (server.chosen_models, len(server.turn_requests)) == (["careful"], 1)


def test_files_are_uploaded_into_the_session_and_attached_to_the_turn(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_bytes(b"a,b\n1,2\n")
    (tmp_path / "Übersicht.txt").write_bytes(b"\x00\xff")
    server = FakeServer()

    assert ask(server, files=[tmp_path / "sales.csv", tmp_path / "Übersicht.txt"], tools=["report.summarise"]) == 0
    assert server.uploads == [(SESSION, "sales.csv", b"a,b\n1,2\n"), (SESSION, "Übersicht.txt", b"\x00\xff")]
    assert server.turn_requests == [
        {
            "message": "hello",
            "tools": ["report.summarise"],
            "files": ["f00000000000000000000000901", "f00000000000000000000000902"],
        }
    ]


def test_file_stored_under_another_name_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "sales.csv").write_bytes(b"a")
    server = FakeServer()
    server.stored_names["sales.csv"] = "sales (2).csv"

    ask(server, files=[tmp_path / "sales.csv"])
    assert capsys.readouterr().err == "sales.csv is stored as sales (2).csv\n"


def test_files_are_listed_with_type_and_size_and_deferred_files_with_next_steps(
    capsys: pytest.CaptureFixture[str],
) -> None:
    server = FakeServer(
        response(
            artifacts=[artifact("report.html", mime="text/html", size=12_345), artifact("a.png", 2, mime="image/png")],
            deferred_artifacts=[deferred("contract.pdf", 3)],
        )
    )

    assert ask(server) == 0
    assert (
        capsys.readouterr().out
        == (
            "Done.\n"
            "\n"
            "Files\n"
            "  report.html  text/html  12KB\n"
            "  a.png        image/png    5B\n"
            "\n"
            "Waiting for you\n"
            "  contract.pdf  application/pdf  2.1MB\n"
            "    why: needs a signature\n"
            "    next: Sign it\n"
            "    next: Send it back\n"
        )
        + SESSION_LINES
    )


def test_without_a_terminal_notices_are_printed_as_lines_and_progress_is_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    call = {"call_id": CALL}
    server = FakeServer(
        events=[
            {"type": "turn_started", "session_id": SESSION},
            {"type": "tool_start", **call, "tool": "report.summarise", "server": "report", "arguments": {}},
            {"type": "tool_progress", **call, "progress": 1, "total": 2, "percentage": 50, "message": "reading"},
            {"type": "tool_notice", **call, "seconds": 15, "left_seconds": 15, "message": "Still working…"},
            {"type": "tool_complete", **call, "tool": "report.summarise", **FAILED},
            {"type": "response_complete", "response": response().model_dump()},
        ]
    )

    assert ask(server) == 0
    assert server.cursors == [0, 2, 4]
    assert capsys.readouterr().err == (
        "report.summarise: Still working…\n"  # these lines and nothing else
        "report.summarise failed (E_TIMEOUT)\n"
    )


@pytest.mark.parametrize(
    ("final_response", "error"),
    [
        (
            response(status="failed", message="", error={"error_code": "E_MODEL", "message": "The model is away."}),
            "satchel: the turn ended as failed: The model is away. (E_MODEL)\n",
        ),
        (response(status="cancelled", message=""), "satchel: the turn ended as cancelled\n"),
    ],
)
def test_failed_or_cancelled_turn_prints_its_error_and_exits_with_1(
    final_response: object, error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    server = FakeServer(final_response)  # type: ignore[arg-type]  # parametrize is untyped

    assert ask(server) == 1
    assert capsys.readouterr() == (SESSION_LINES, error)


def test_api_error_is_printed_as_one_line_with_detail_and_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(FakeServer(), session="s-unknown") == 2
    assert capsys.readouterr() == ("", "satchel: There is no such session. (E_SESSION_NOT_FOUND)\n")


def test_error_without_a_problem_document_is_printed_with_its_status(capsys: pytest.CaptureFixture[str]) -> None:
    transport = httpx2.MockTransport(lambda _: httpx2.Response(500, text="<h1>Oops</h1>"))

    assert ask_question(Connection(URL, transport=transport), Question("hello")) == 2
    assert capsys.readouterr().err == "satchel: The server refused POST /api/sessions (HTTP 500)\n"


def test_response_of_another_server_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, text="<h1>It works!</h1>"))

    assert ask_question(Connection(URL, transport=transport), Question("hello")) == 2
    assert capsys.readouterr().err == f"satchel: The server at {URL} is not a Satchel server.\n"


@pytest.mark.parametrize("url", ["satchel", "ftp://satchel.test", "http://", "http://[::1"])
def test_invalid_url_is_an_error(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask_question(Connection(url), Question("hello")) == 2
    error = capsys.readouterr().err
    assert error.startswith((f"satchel: {url} is not an http or https URL", f"satchel: {url} is not a valid URL"))


def test_broken_connection_is_retried_from_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    notice = {"type": "tool_notice", "call_id": CALL, "seconds": 15, "left_seconds": 15}
    server = FakeServer(
        events=[{**notice, "message": "one"}, {**notice, "message": "two"}],
        page_size=1,
        faults=[httpx2.ReadError("reset"), problem(503, "Starting.", "E_UNAVAILABLE"), httpx2.ConnectError("refused")],
    )
    delays: list[float] = []

    assert ask(server, delays=delays) == 0
    assert delays == [0.5, 1, 2]
    assert server.cursors == [0, 1]
    assert capsys.readouterr().err == "a tool: one\na tool: two\n"


def test_after_the_last_retry_the_url_of_the_turn_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    delays: list[float] = []

    assert ask(FakeServer(faults=[httpx2.ReadError("reset")] * 9), delays=delays) == 2
    assert delays == [0.5, 1, 2, 4, 8]
    assert capsys.readouterr().err == (
        f"Turn {TURN} continues on the server: {URL}/api/sessions/{SESSION}/turns/{TURN}\n"
        f"satchel: The connection to {URL} broke (reset).\n"
    )


def test_permanent_error_is_not_retried(capsys: pytest.CaptureFixture[str]) -> None:
    delays: list[float] = []
    server = FakeServer(faults=[problem(404, "There is no such turn in this session.", "E_TURN_NOT_FOUND")])

    assert ask(server, delays=delays) == 2
    assert delays == []
    assert capsys.readouterr().err == "satchel: There is no such turn in this session. (E_TURN_NOT_FOUND)\n"


def test_interrupted_wait_prints_the_url_of_the_turn(capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(FakeServer(faults=[KeyboardInterrupt()])) == 130
    assert capsys.readouterr() == (
        "",
        f"Turn {TURN} continues on the server: {URL}/api/sessions/{SESSION}/turns/{TURN}\nsatchel: interrupted\n",
    )


def test_control_characters_of_a_tool_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    server = FakeServer(response(message="a\x1b[2Jb\x9bc\u202ed\n\te", artifacts=[artifact("x\x1b]0;y\n.txt")]))

    ask(server)
    out = capsys.readouterr().out
    assert out.startswith("a\ufffd[2Jb\ufffdc\ufffdd\n\te\n\nFiles\n  x\ufffd]0;y .txt  text/plain  5B\n")
