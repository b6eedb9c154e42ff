"""Tests of calling real tools and checking their output."""

from pathlib import Path
from uuid import uuid4

import pytest

from local.lint.tool_call import CannotLintError, ToolCall, lint_call
from satchel.domain.timing import Limits

SERVERS = Path(__file__).parent / "servers"
EXAMPLES = Path(__file__).resolve().parents[3] / "functions/servers"
MISSING_PROGRAM = "no-such-program"


@pytest.fixture
def user() -> str:
    return f"lint-{uuid4().hex}"


def call(tool: str, arguments: str = "{}", *, user: str | None = None, server: str = "python -S author.py") -> ToolCall:
    return ToolCall(server, tool, arguments, user, SERVERS)


def summaries(call: ToolCall) -> list[str]:
    return [f"{finding.severity} {finding.clause} {finding.where}" for finding in lint_call(call, Limits(silence=60))]


def test_valid_output_has_no_finding_and_the_user_directory_is_removed(user: str) -> None:
    assert summaries(call("writes", '{"rows": 1}', user=user)) == []
    assert not Path("/tmp", user).exists()


def test_username_in_the_arguments_is_overwritten(user: str) -> None:
    assert summaries(call("writes", '{"rows": 1, "username": "root"}', user=user)) == []


def test_random_user_is_used_by_default() -> None:
    assert summaries(call("writes", '{"rows": 1}')) == []


def test_files_are_checked_before_the_user_directory_is_removed(user: str) -> None:
    assert summaries(call("forgets", user=user)) == [
        "error v2.1:artifacts:path-exists $.structuredContent.artifacts[0].path",
        "error v2.1:artifacts:path-inside $.structuredContent.artifacts[1].path",
    ]


def test_tool_without_username_can_be_checked(user: str) -> None:
    assert summaries(call("has_no_name", user=user)) == [
        'warning v1:meta-data:spelling $.structuredContent["meta-data"]'
    ]


def test_output_schema_of_the_tool_is_used() -> None:
    assert summaries(call("wraps")) == ["error v1:output:object $.structuredContent.result"]


def test_error_result_is_a_warning() -> None:
    assert summaries(call("fails")) == ["warning v1:error:is-error $"]


def test_access_that_the_sandbox_blocked_is_an_error_with_path_and_advice() -> None:
    findings = lint_call(call("writes_elsewhere"))

    assert [(finding.severity, finding.clause) for finding in findings] == [
        ("error", "v2.1:isolation:guarded"),
        ("warning", "v1:error:is-error"),
    ]
    assert findings[0].message == "The sandbox blocked a write to '/tmp/elsewhere.txt'."
    assert "declare an argument `username: str`" in findings[0].suggestion


def test_relative_path_in_the_arguments_is_found_from_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/notes.txt").write_text("one")
    monkeypatch.chdir(tmp_path)

    assert lint_call(call("reads_file", '{"filename": "data/notes.txt"}')) == []


@pytest.mark.parametrize(
    ("tool", "message"),
    [
        ("refuses", "The tool returned no output: not today."),
        ("crashes", "The tool returned no output: The tool's server ended with exit code 3 before it answered."),
    ],
)
def test_missing_output_is_an_error(tool: str, message: str) -> None:
    (finding,) = lint_call(call(tool))

    assert (finding.clause, finding.message) == ("v1:output:given", message)


def test_hanging_tool_is_stopped() -> None:
    (finding,) = lint_call(call("hangs"), Limits(silence=0.2))

    assert finding.clause == "v2.1:time:timeout"


@pytest.mark.parametrize(
    ("invalid_call", "message"),
    [
        (call("write"), "There is no tool 'write'. Did you mean 'writes'"),
        (call("writes", "{"), "The arguments do not match the tool's schema: the arguments are not JSON"),
        (
            call("writes", '{"rows": "x"}'),
            "The arguments do not match the tool's schema: rows: 'x' is not of type 'integer'",
        ),
        (call("writes", '{"rows": 1}', user="../x"), "'../x' is not a valid user name"),
        (call("writes", server="python 'author.py"), "is not a command line: No closing quotation"),
        (call("writes", server=""), "is not a command line: it is empty"),
        (call("writes", server=MISSING_PROGRAM), f"there is no program '{MISSING_PROGRAM}'"),
        (ToolCall("python", "x", cwd=Path("/nowhere/at/all")), "/nowhere/at/all is not a directory"),
    ],
)
def test_tool_that_cannot_be_called_raises_an_error(invalid_call: ToolCall, message: str) -> None:
    with pytest.raises(CannotLintError) as raised:
        lint_call(invalid_call)

    assert message in str(raised.value)


def test_existing_user_directory_is_refused_and_kept(user: str) -> None:
    home = Path("/tmp", user)
    home.mkdir()
    try:
        with pytest.raises(CannotLintError, match=r"File exists.*use another user name"):
            lint_call(call("writes", '{"rows": 1}', user=user))
        assert home.exists()
    finally:
        home.rmdir()


@pytest.mark.parametrize(
    ("server", "tool", "arguments", "findings"),
    [
        ("calculator", "evaluate", '{"expression": "234*97"}', []),
        ("legacy", "export_table", "{}", ["note v2:files:phased-out $.structuredContent.returned_file_names"]),
    ],
)
def test_example_servers_return_valid_output(server: str, tool: str, arguments: str, findings: list[str]) -> None:
    assert summaries(ToolCall("python main.py", tool, arguments, cwd=EXAMPLES / server)) == findings


def test_report_server_returns_valid_output(tmp_path: Path) -> None:
    sales = tmp_path / "sales.csv"
    sales.write_text("month,sum\n1,2\n2,3\n")

    assert (
        summaries(ToolCall("python main.py", "summarise", f'{{"filename": "{sales}"}}', cwd=EXAMPLES / "report")) == []
    )
