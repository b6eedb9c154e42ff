"""The key file of a server on this machine, and how commands find it."""

import stat
from pathlib import Path

import pytest

from local.local_key import KeyFile, find_key, key_path


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("SATCHEL_LOCAL_KEY", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def test_key_is_found_while_the_file_exists() -> None:
    with KeyFile(key_path(8000), "the-key"):
        assert (find_key(8000), find_key(8001)) == ("the-key", None)
    assert find_key(8000) is None


def test_file_and_its_folder_are_accessible_only_for_their_owner(state: Path) -> None:
    path = key_path(8000)
    with KeyFile(path, "the-key"):
        assert [stat.S_IMODE(each.stat().st_mode) for each in (path, path.parent)] == [0o600, 0o700]
        assert list(path.parent.iterdir()) == [path]
    assert list((state / "satchel").iterdir()) == []


def test_file_or_link_of_a_killed_server_is_replaced(tmp_path: Path) -> None:
    path, target = key_path(8000), tmp_path / "target"
    target.write_text("other")
    path.parent.mkdir(parents=True)
    path.symlink_to(target)

    with KeyFile(path, "the-key"):
        assert not path.is_symlink()
        assert find_key(8000) == "the-key"
    assert target.read_text() == "other"


def test_file_of_a_later_server_on_the_same_port_stays() -> None:
    with KeyFile(key_path(8000), "first"):
        later = KeyFile(key_path(8000), "second")
        later.__enter__()
    assert find_key(8000) == "second"


def test_variable_overrides_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_LOCAL_KEY", "of-the-variable")
    with KeyFile(key_path(8000), "the-key"):
        assert find_key(8000) == "of-the-variable"


def test_file_is_in_the_home_directory_without_a_state_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    for value in ("", "relative"):
        monkeypatch.setenv("XDG_STATE_HOME", value)
        assert key_path(8000) == Path("/home/ada/.local/state/satchel/local-key-8000")


def test_folder_that_cannot_be_written_raises_os_error(state: Path) -> None:
    state.write_text("a file where the folder should be")
    with pytest.raises(OSError, match="state"), KeyFile(key_path(8000), "the-key"):
        pytest.fail("the file was written")
