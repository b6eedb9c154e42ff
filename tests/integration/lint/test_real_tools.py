"""Tools are called as a runner calls them, and what they return is looked at."""

from pathlib import Path
from uuid import uuid4

import pytest

from local.lint.calling import CannotLintError, ToolCall, lint_call
from satchel.domain.timing import Limits

SERVERS = Path(__file__).parent / "servers"
EXAMPLES = Path(__file__).resolve().parents[3] / "functions/servers"
NONE = "no-such-program"


@pytest.fixture
def user() -> str:
    return f"lint-{uuid4().hex}"


def call(tool: str, arguments: str = "{}", *, user: str | None = None, server: str = "python -S author.py") -> ToolCall:
    return ToolCall(server, tool, arguments, user, SERVERS)


def told(call: ToolCall) -> list[str]:
    return [f"{finding.severity} {finding.clause} {finding.where}" for finding in lint_call(call, Limits(silence=5))]


def test_a_tool_that_keeps_the_contract_has_no_fault(user: str) -> None:
    assert told(call("writes", '{"rows": 1}', user=user)) == []
    assert not Path("/tmp", user).exists()


def test_whoever_the_arguments_name_the_client_says_who_it_is(user: str) -> None:
    assert told(call("writes", '{"rows": 1, "username": "root"}', user=user)) == []


def test_a_user_is_made_up_where_none_is_named() -> None:
    assert told(call("writes", '{"rows": 1}')) == []


def test_files_are_looked_for_before_they_go(user: str) -> None:
    assert told(call("forgets", user=user)) == [
        "error v2.1:artifacts:path-exists $.structuredContent.artifacts[0].path",
        "error v2.1:artifacts:path-inside $.structuredContent.artifacts[1].path",
    ]


def test_a_tool_without_user_name_runs_elsewhere(user: str) -> None:
    assert told(call("has_no_name", user=user)) == ['warning v1:meta-data:spelling $.structuredContent["meta-data"]']


def test_the_schema_of_its_output_is_heeded() -> None:
    assert told(call("wraps")) == ["error v1:output:object $.structuredContent.result"]


def test_an_error_result_is_told() -> None:
    assert told(call("fails")) == ["warning v1:error:is-error $"]


@pytest.mark.parametrize(
    ("tool", "message"),
    [
        ("refuses", "The tool gave no output: not today."),
        ("crashes", "The tool gave no output: The tool's server ended with exit code 3 before it answered."),
    ],
)
def test_no_output_is_a_fault(tool: str, message: str) -> None:
    (finding,) = lint_call(call(tool))

    assert (finding.clause, finding.message) == ("v1:output:given", message)


def test_a_tool_that_hangs_is_ended() -> None:
    (finding,) = lint_call(call("hangs"), Limits(silence=0.2))

    assert finding.clause == "v2.1:time:timeout"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (call("write"), "There is no tool 'write'. Did you mean 'writes'"),
        (call("writes", "{"), "The arguments do not fit the tool: the arguments are not JSON"),
        (call("writes", '{"rows": "x"}'), "The arguments do not fit the tool: rows: 'x' is not of type 'integer'"),
        (call("writes", '{"rows": 1}', user="../x"), "'../x' cannot be a user's name"),
        (call("writes", server="python 'author.py"), "is not a command line: No closing quotation"),
        (call("writes", server=""), "is not a command line: it is empty"),
        (call("writes", server=NONE), f"there is no program '{NONE}'"),
        (ToolCall("python", "x", cwd=Path("/nowhere/at/all")), "/nowhere/at/all is not a directory"),
    ],
)
def test_a_tool_that_cannot_be_called_is_no_fault_but_an_error(wrong: ToolCall, message: str) -> None:
    with pytest.raises(CannotLintError) as told:
        lint_call(wrong)

    assert message in str(told.value)


def test_a_directory_that_is_there_is_left_alone(user: str) -> None:
    home = Path("/tmp", user)
    home.mkdir()
    try:
        with pytest.raises(CannotLintError, match=r"File exists.*name another user"):
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
def test_the_example_servers_keep_the_contract(server: str, tool: str, arguments: str, findings: list[str]) -> None:
    assert told(ToolCall("python main.py", tool, arguments, cwd=EXAMPLES / server)) == findings


def test_the_report_server_keeps_it_too(tmp_path: Path) -> None:
    sales = tmp_path / "sales.csv"
    sales.write_text("month,sum\n1,2\n2,3\n")

    assert told(ToolCall("python main.py", "summarise", f'{{"filename": "{sales}"}}', cwd=EXAMPLES / "report")) == []
