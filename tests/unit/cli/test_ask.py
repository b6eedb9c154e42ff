"""What a person sees who asks."""

from pathlib import Path

import httpx2
import pytest

from local.cli.talk import Question, talk
from tests.unit.cli.fake_server import CALL, SESSION, TURN, FakeServer, artifact, deferred, problem, response

URL = "http://satchel.test"
GO_ON = f'\nSession {SESSION}\nGo on with: satchel ask --session {SESSION} "…"\n'


def ask(server: FakeServer, message: str = "hello", *, naps: list[float] | None = None, **more: object) -> int:
    naps = [] if naps is None else naps
    question = Question(message=message, url=URL, **more)  # type: ignore[arg-type]  # each test names fields of its own
    return talk(question, transport=httpx2.MockTransport(server), sleep=naps.append)


def test_a_message_is_asked_in_a_new_session_and_its_answer_printed(capsys: pytest.CaptureFixture[str]) -> None:
    server = FakeServer(response(message="Good day."))

    assert ask(server, "good day") == 0
    assert server.chosen == []
    assert server.asked == [{"message": "good day"}]
    assert capsys.readouterr() == (f"Good day.\n{GO_ON}", "")


def test_a_given_session_is_gone_on_with(capsys: pytest.CaptureFixture[str]) -> None:
    server = FakeServer()

    assert ask(server, session=SESSION) == 0
    assert [request.url.path for request in server.requests if request.method == "POST"] == [
        f"/api/sessions/{SESSION}/turns"
    ]
    assert capsys.readouterr().out == f"Done.\n{GO_ON}"


@pytest.mark.parametrize("session", [None, SESSION])
def test_a_model_is_chosen_for_a_new_session_or_the_one_that_goes_on(session: str | None) -> None:
    server = FakeServer()

    assert ask(server, session=session, model="careful") == 0
    assert (server.chosen, len(server.asked)) == (["careful"], 1)


def test_files_are_uploaded_into_the_session_and_named_to_the_turn(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_bytes(b"a,b\n1,2\n")
    (tmp_path / "Übersicht.txt").write_bytes(b"\x00\xff")
    server = FakeServer()

    assert ask(server, files=[tmp_path / "sales.csv", tmp_path / "Übersicht.txt"], tools=["report.summarise"]) == 0
    assert server.uploads == [(SESSION, "sales.csv", b"a,b\n1,2\n"), (SESSION, "Übersicht.txt", b"\x00\xff")]
    assert server.asked == [
        {
            "message": "hello",
            "tools": ["report.summarise"],
            "files": ["f00000000000000000000000901", "f00000000000000000000000902"],
        }
    ]


def test_a_file_that_the_server_calls_otherwise_is_named_as_it_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sales.csv").write_bytes(b"a")
    server = FakeServer()
    server.renamed["sales.csv"] = "sales (2).csv"

    ask(server, files=[tmp_path / "sales.csv"])
    assert capsys.readouterr().err == "sales.csv is called sales (2).csv there\n"


def test_files_of_the_answer_are_listed_with_type_and_size_and_those_that_wait_with_what_to_do(
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
        + GO_ON
    )


def test_without_a_terminal_notices_are_lines_and_progress_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    call = {"call_id": CALL}
    server = FakeServer(
        events=[
            {"type": "turn_started"},
            {"type": "tool_start", **call, "tool": "report.summarise", "server": "report", "arguments": {}},
            {"type": "tool_progress", **call, "progress": 1, "total": 2, "percentage": 50, "message": "reading"},
            {"type": "tool_notice", **call, "seconds": 15, "message": "Still working…"},
            {"type": "tool_complete", **call, "is_error": True, "error_code": "E_TIMEOUT", "results": None},
            {"type": "response_complete", "response": {}},
        ]
    )

    assert ask(server) == 0
    assert server.cursors == [0, 2, 4]
    assert capsys.readouterr().err == (
        "report.summarise: Still working…\n"  # the lines and nothing else
        "report.summarise failed (E_TIMEOUT)\n"
    )


@pytest.mark.parametrize(
    ("final", "said"),
    [
        (
            response(status="failed", message="", error={"error_code": "E_MODEL", "message": "The model is away."}),
            "satchel: the turn ended as failed: The model is away. (E_MODEL)\n",
        ),
        (response(status="cancelled", message=""), "satchel: the turn ended as cancelled\n"),
    ],
)
def test_a_turn_that_did_not_complete_says_why_and_ends_with_1(
    final: object, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    server = FakeServer(final)  # type: ignore[arg-type]  # parametrize is untyped

    assert ask(server) == 1
    assert capsys.readouterr() == (GO_ON, said)


def test_a_refusal_is_one_line_with_its_detail_and_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(FakeServer(), session="s-unknown") == 2
    assert capsys.readouterr() == ("", "satchel: There is no such session. (E_SESSION_NOT_FOUND)\n")


def test_an_error_that_is_no_problem_document_is_told_by_its_status(capsys: pytest.CaptureFixture[str]) -> None:
    transport = httpx2.MockTransport(lambda _: httpx2.Response(500, text="<h1>Oops</h1>"))

    assert talk(Question("hello", URL), transport=transport) == 2
    assert capsys.readouterr().err == "satchel: POST /api/sessions was refused (HTTP 500)\n"


def test_an_answer_of_something_else_is_recognised(capsys: pytest.CaptureFixture[str]) -> None:
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, text="<h1>It works!</h1>"))

    assert talk(Question("hello", URL), transport=transport) == 2
    assert capsys.readouterr().err == f"satchel: What answered at {URL} is not a Satchel server.\n"


@pytest.mark.parametrize("url", ["satchel", "ftp://satchel.test", "http://", "http://[::1"])
def test_what_is_no_address_is_said_to_be_none(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert talk(Question("hello", url)) == 2
    assert capsys.readouterr().err.startswith(f"satchel: {url} is not an ")


def test_a_broken_connection_is_taken_up_where_it_broke(capsys: pytest.CaptureFixture[str]) -> None:
    notice = {"type": "tool_notice", "call_id": CALL, "seconds": 15}
    server = FakeServer(
        events=[{**notice, "message": "one"}, {**notice, "message": "two"}],
        page=1,
        faults=[httpx2.ReadError("reset"), problem(503, "Starting.", "E_UNAVAILABLE"), httpx2.ConnectError("refused")],
    )
    naps: list[float] = []

    assert ask(server, naps=naps) == 0
    assert naps == [0.5, 1, 2]
    assert server.cursors == [0, 1]
    assert capsys.readouterr().err == "a tool: one\na tool: two\n"


def test_a_connection_that_stays_broken_is_given_up_and_the_turn_named(capsys: pytest.CaptureFixture[str]) -> None:
    naps: list[float] = []

    assert ask(FakeServer(faults=[httpx2.ReadError("reset")] * 9), naps=naps) == 2
    assert naps == [0.5, 1, 2, 4, 8]
    assert capsys.readouterr().err == (
        f"Turn {TURN} goes on without us: {URL}/api/sessions/{SESSION}/turns/{TURN}\n"
        f"satchel: The connection to {URL} broke (reset).\n"
    )


def test_an_error_that_will_not_pass_is_not_asked_again(capsys: pytest.CaptureFixture[str]) -> None:
    naps: list[float] = []
    server = FakeServer(faults=[problem(404, "There is no such turn in this session.", "E_TURN_NOT_FOUND")])

    assert ask(server, naps=naps) == 2
    assert naps == []
    assert capsys.readouterr().err == "satchel: There is no such turn in this session. (E_TURN_NOT_FOUND)\n"


def test_an_interrupted_wait_says_that_the_turn_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(FakeServer(faults=[KeyboardInterrupt()])) == 130
    assert capsys.readouterr() == (
        "",
        f"Turn {TURN} goes on without us: {URL}/api/sessions/{SESSION}/turns/{TURN}\nsatchel: interrupted\n",
    )


def test_what_a_tool_returns_cannot_command_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    server = FakeServer(response(message="a\x1b[2Jb\x9bc\u202ed\n\te", artifacts=[artifact("x\x1b]0;y\n.txt")]))

    ask(server)
    out = capsys.readouterr().out
    assert out.startswith("a\ufffd[2Jb\ufffdc\ufffdd\n\te\n\nFiles\n  x\ufffd]0;y .txt  text/plain  5B\n")
