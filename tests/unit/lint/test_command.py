"""The command: where it reads from, what it prints, how it ends."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from local.cli.main import app

GOOD = {"results": {"rows": 1}}
WARNED = {"results": 1, "meta-data": {}}
FAULTY = {"results": 1, "artifacts": [{"name": "a.txt", "path": "/tmp/alice/a.txt"}]}
OLD = {"results": 1, "returned_file_names": ["a"], "returned_file_contents": ["QQ=="]}


def lint(*arguments: str, output: object = None) -> Result:
    return CliRunner().invoke(app, ["lint", *arguments], input=json.dumps(output))


def test_a_good_output_passes(tmp_path: Path) -> None:
    file = tmp_path / "output.json"
    file.write_text(json.dumps(GOOD))
    told = lint(str(file))

    assert (told.exit_code, told.stdout) == (0, "no faults\n")


def test_a_faulty_one_fails_and_its_faults_are_printed() -> None:
    told = lint("-", output=FAULTY)

    assert told.exit_code == 1
    assert told.stdout.splitlines() == [
        "error    $.artifacts[0]  'a.txt' has no `mime`.",
        '         Give the MIME type, for example "text/html". (v2.1:artifacts:mime-required, spec 3 §6.1)',
        "1 error",
    ]


@pytest.mark.parametrize(("options", "code"), [([], 0), (["--strict"], 1)])
def test_warnings_fail_it_where_one_is_strict(options: list[str], code: int) -> None:
    told = lint("-", *options, output=WARNED)

    assert told.exit_code == code
    assert told.stdout.splitlines()[-1] == "1 warning"


def test_a_program_can_read_it() -> None:
    told = lint("-", "--json", output=FAULTY)

    assert told.exit_code == 1
    report = json.loads(told.stdout)
    assert (report["errors"], report["warnings"]) == (1, 0)
    assert [finding["where"] for finding in report["findings"]] == ["$.artifacts[0]"]


def test_notes_are_shown_on_demand() -> None:
    assert lint("-", output=OLD).stdout == "no faults (1 note: --notes shows it)\n"
    assert lint("-", "--notes", output=OLD).stdout.startswith("note     $.returned_file_names  ")


def test_a_user_has_one_directory() -> None:
    output = {"results": 1, "artifacts": [FAULTY["artifacts"][0] | {"mime": "text/plain"}]}  # type: ignore[index]  # a list of objects

    assert lint("-", "--user", "alice", output=output).exit_code == 0
    assert lint("-", "--user", "bob", output=output).exit_code == 1


def test_what_is_no_json_is_a_fault() -> None:
    told = CliRunner().invoke(app, ["lint", "-"], input="Done.")

    assert told.exit_code == 1
    assert "(v1:output:json, spec 1 Implementation Checklist)" in told.stdout


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "give either a file or --server"),
        (["-", "--server", "python main.py", "--tool", "x"], "give either a file or --server"),
        (["--server", "python main.py"], "--server needs --tool"),
        (["-", "--tool", "x"], "go with --server"),
        (["no-such.json"], "no-such.json"),
    ],
)
def test_what_cannot_be_meant_is_a_matter_of_usage(arguments: list[str], why: str) -> None:
    told = lint(*arguments, output=GOOD)

    assert told.exit_code == 2
    assert why in " ".join(told.stderr.split())
