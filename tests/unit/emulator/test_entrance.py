"""The lines that the server prints in password mode."""

from pathlib import Path

import pytest

from local.emulator.entrance import password_entrance
from local.emulator.settings import AccessSettings
from local.emulator.sign_in.database import Database
from local.emulator.startup import StartupError
from local.local_key import find_key, key_path, write_private_file


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SATCHEL_DATA", str(tmp_path))
    for name in ("SATCHEL_PUBLIC_URL", "SATCHEL_LOCAL_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SATCHEL_AUTH", "password")
    return tmp_path


@pytest.mark.parametrize(
    ("public_url", "is_encrypted"),
    [
        (None, True),
        ("http://localhost:8000", True),
        ("http://[::1]:8000", True),
        ("https://satchel.example", True),
        ("http://satchel.example", False),
        ("http://192.168.1.5:8000", False),
    ],
)
def test_address_without_encryption_is_warned_about(public_url: str | None, *, is_encrypted: bool) -> None:
    settings = AccessSettings.model_validate({"auth": "password", "public_url": public_url})

    with password_entrance(8000, settings) as entrance:
        assert entrance.page_url == (public_url or "http://127.0.0.1:8000")
        assert entrance.notes[0] == "There are no accounts yet: satchel user add NAME creates one."
        assert [f"{public_url} is not encrypted" in note for note in entrance.notes[1:]] == [True] * (not is_encrypted)


def test_key_file_of_a_killed_server_is_removed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    write_private_file(key_path(8000), "old")

    with password_entrance(8000, AccessSettings()):
        assert find_key(8000) is None


def test_accounts_that_cannot_be_opened_are_reported(folder: Path) -> None:
    with Database(folder) as database:
        database.write(("PRAGMA user_version = 9", ()))

    with pytest.raises(StartupError, match="a newer Satchel wrote"), password_entrance(8000, AccessSettings()):
        pytest.fail("the server started")
