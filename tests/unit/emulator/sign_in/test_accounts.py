import sqlite3
import stat
from pathlib import Path

import pytest

from local.emulator.sign_in.accounts import Accounts
from local.emulator.sign_in.database import AccountsError, Database
from local.emulator.sign_in.passwords import InvalidPassword
from satchel.domain.users import Identity
from tests.fakes.accounts import PASSWORD, SignInParts


def test_account_has_its_groups_and_the_default_one(parts: SignInParts) -> None:
    parts.accounts.add("Ada@Example.com", PASSWORD, ["staff"])

    account = parts.accounts.find("ADA@example.com")
    assert account is not None
    assert account.identity == Identity(name="ada@example.com", groups=frozenset({"users", "staff"}))
    assert PASSWORD not in account.password


def test_second_account_of_a_name_is_refused(parts: SignInParts) -> None:
    parts.accounts.add("ada", PASSWORD)

    with pytest.raises(AccountsError, match="there is already an account ada"):
        parts.accounts.add("ADA", "another password")


@pytest.mark.parametrize("name", ["", "../ada", "ada/x", ".ada", "a" * 65, "ada\n", "ädä"])
def test_name_that_cannot_be_a_user_name_is_refused(parts: SignInParts, name: str) -> None:
    with pytest.raises(AccountsError, match="is no user name"):
        parts.accounts.add(name, PASSWORD)


def test_short_password_changes_nothing(parts: SignInParts) -> None:
    parts.accounts.add("ada", PASSWORD)
    before = parts.accounts.list()

    with pytest.raises(InvalidPassword):
        parts.accounts.set_password("ada", "short")
    with pytest.raises(InvalidPassword):
        parts.accounts.add("bob", "short")
    assert parts.accounts.list() == before


def test_accounts_are_listed_by_name(parts: SignInParts) -> None:
    for name in ("bob", "ada"):
        parts.accounts.add(name, PASSWORD)
    parts.accounts.set_groups("bob", ["staff"])
    parts.accounts.remove("ada")
    parts.accounts.add("carol", PASSWORD)

    assert [(each.name, each.groups) for each in parts.accounts.list()] == [
        ("bob", ["staff", "users"]),
        ("carol", ["users"]),
    ]


def test_change_of_a_missing_account_is_an_error(parts: SignInParts) -> None:
    for change in (
        parts.accounts.remove,
        lambda name: parts.accounts.set_password(name, PASSWORD),
        lambda name: parts.accounts.set_groups(name, []),
    ):
        with pytest.raises(AccountsError, match="there is no account ada"):
            change("ada")


def test_files_are_readable_only_for_their_owner(tmp_path: Path, parts: SignInParts) -> None:
    parts.accounts.add("ada", PASSWORD)

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes["accounts.sqlite"] == 0o600
    assert set(modes.values()) == {0o600}


def test_other_process_sees_a_change_at_once(tmp_path: Path, parts: SignInParts) -> None:
    with Database(tmp_path) as other:
        Accounts(other, parts.accounts.passwords, parts.accounts.clock).add("ada", PASSWORD)
        assert parts.accounts.find("ada")


def test_accounts_of_a_newer_version_are_refused(tmp_path: Path) -> None:
    with Database(tmp_path):
        pass
    connection = sqlite3.connect(tmp_path / "accounts.sqlite")
    connection.execute("PRAGMA user_version = 2")
    connection.close()

    with pytest.raises(AccountsError, match="a newer Satchel wrote"), Database(tmp_path):
        pytest.fail("the database was opened")


def test_folder_that_cannot_be_used_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file where the folder should be")

    with pytest.raises(AccountsError, match="cannot open"), Database(tmp_path / "file"):
        pytest.fail("the database was opened")
