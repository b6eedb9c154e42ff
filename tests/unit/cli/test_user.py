"""`satchel user`: the accounts in the data folder."""

import stat
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from local.cli.main import app
from tests.fakes.accounts import PASSWORD


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("SATCHEL_LOCAL_KEY", raising=False)
    monkeypatch.setenv("SATCHEL_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def run(arguments: Sequence[str], text: str = "") -> Result:
    return CliRunner().invoke(app, ["user", *arguments], input=text)


def add(name: str, *options: str) -> Result:
    return run(["add", name, "--password-stdin", *options], f"{PASSWORD}\n")


def test_account_is_created_with_a_password_that_is_typed_twice(folder: Path) -> None:
    result = run(["add", "Ada", "--group", "staff"], f"{PASSWORD}\n{PASSWORD}\n")

    assert result.exit_code == 0
    assert result.stdout.endswith("created ada in the groups staff, users\n")
    assert PASSWORD not in result.output
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder, folder / "accounts.sqlite")] == [0o700, 0o600]


def test_different_passwords_are_asked_for_again() -> None:
    result = run(["add", "ada"], f"{PASSWORD}\nanother password\n{PASSWORD}\n{PASSWORD}\n")

    assert result.exit_code == 0
    assert "do not match" in result.output


def test_accounts_are_listed_with_their_groups() -> None:
    assert run(["list"]).output == ""
    add("bob", "--group", "staff", "--group", "family")
    add("ada")

    assert run(["list"]).stdout == "ada  users\nbob  family, staff, users\n"


def test_groups_are_replaced() -> None:
    add("ada", "--group", "staff")

    assert run(["groups", "ada", "family"]).exit_code == 0
    assert run(["list"]).stdout == "ada  family, users\n"


def test_account_is_removed() -> None:
    add("ada")

    assert run(["remove", "ADA"]).stdout == "removed ada; its chats and files stay\n"
    assert run(["list"]).output == ""


def test_password_is_changed_from_standard_input() -> None:
    add("ada")

    result = run(["password", "ada", "--password-stdin"], "another password\r\n")
    assert result.stdout == "changed the password of ada and ended its sessions\n"


@pytest.mark.parametrize(
    ("arguments", "text", "problem"),
    [
        (["add", "ada", "--password-stdin"], PASSWORD, "there is already an account ada"),
        (["add", "bob", "--password-stdin"], "short", "a password has 12 to 1000 characters"),
        (["add", "bob", "--password-stdin"], "", "a password has 12 to 1000 characters"),
        (["add", "a/b", "--password-stdin"], PASSWORD, "'a/b' is no user name: it must match"),
        (["remove", "bob"], "", "there is no account bob"),
        (["groups", "bob"], "", "there is no account bob"),
        (["password", "bob", "--password-stdin"], PASSWORD, "there is no account bob"),
    ],
)
def test_problem_is_one_line(arguments: Sequence[str], text: str, problem: str) -> None:
    add("ada")

    result = run(arguments, text)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"satchel: {problem}")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("value", "problem"),
    [("memory", "SATCHEL_DATA=memory has no folder for the accounts"), ("", "SATCHEL_DATA: ")],
)
def test_accounts_need_a_data_folder(monkeypatch: pytest.MonkeyPatch, value: str, problem: str) -> None:
    monkeypatch.setenv("SATCHEL_DATA", value)

    result = run(["list"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"satchel: {problem}")
