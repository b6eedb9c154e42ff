"""Tests of `satchel lint`: its input, its output and its exit codes."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from local.cli.main import app

VALID = {"results": {"rows": 1}}
WITH_WARNING = {"results": 1, "meta-data": {}}
INVALID = {"results": 1, "artifacts": [{"name": "a.txt", "path": "/tmp/alice/a.txt"}]}
WITH_NOTE = {"results": 1, "returned_file_names": ["a"], "returned_file_contents": ["QQ=="]}


def lint(*arguments: str, output: object = None) -> Result:
    return CliRunner().invoke(app, ["lint", *arguments], input=json.dumps(output))


def test_valid_output_passes(tmp_path: Path) -> None:
    file = tmp_path / "output.json"
    file.write_text(json.dumps(VALID))
    result = lint(str(file))

    assert (result.exit_code, result.stdout) == (0, "no faults\n")


def test_invalid_output_fails_and_its_errors_are_printed() -> None:
    result = lint("-", output=INVALID)

    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "error    $.artifacts[0]  'a.txt' has no `mime`.",
        '         Add the MIME type, for example "text/html". (v2.1:artifacts:mime-required, spec 3 §6.1)',
        "1 error",
    ]


@pytest.mark.parametrize(("options", "code"), [([], 0), (["--strict"], 1)])
def test_warnings_fail_only_with_strict(options: list[str], code: int) -> None:
    result = lint("-", *options, output=WITH_WARNING)

    assert result.exit_code == code
    assert result.stdout.splitlines()[-1] == "1 warning"


def test_json_report_can_be_parsed() -> None:
    result = lint("-", "--json", output=INVALID)

    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert (report["errors"], report["warnings"]) == (1, 0)
    assert [finding["where"] for finding in report["findings"]] == ["$.artifacts[0]"]


def test_notes_are_shown_only_on_request() -> None:
    assert lint("-", output=WITH_NOTE).stdout == "no faults (1 note: --notes shows it)\n"
    assert lint("-", "--notes", output=WITH_NOTE).stdout.startswith("note     $.returned_file_names  ")


def test_user_option_allows_only_the_directory_of_this_user() -> None:
    output = {"results": 1, "artifacts": [INVALID["artifacts"][0] | {"mime": "text/plain"}]}  # type: ignore[index]  # a list of objects

    assert lint("-", "--user", "alice", output=output).exit_code == 0
    assert lint("-", "--user", "bob", output=output).exit_code == 1


def test_text_that_is_not_json_is_an_error() -> None:
    result = CliRunner().invoke(app, ["lint", "-"], input="Done.")

    assert result.exit_code == 1
    assert "(v1:output:json, spec 1 Implementation Checklist)" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give either a file or --server"),
        (["-", "--server", "python main.py", "--tool", "x"], "give either a file or --server"),
        (["--server", "python main.py"], "--server requires --tool"),
        (["-", "--tool", "x"], "require --server"),
        (["no-such.json"], "no-such.json"),
    ],
)
def test_contradictory_options_are_a_usage_error(arguments: list[str], message: str) -> None:
    result = lint(*arguments, output=VALID)

    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
