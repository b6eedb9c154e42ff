"""The key file of a running server: it exists only if no tool can read it."""

from pathlib import Path

import pytest

from local.emulator.published_key import find_reader, published_key
from local.local_key import find_key, key_path
from satchel.domain.servers import ServerEntry

PYTHON = ServerEntry(command=["python", "main.py"], cwd="/opt/servers")
REMOTE = ServerEntry(url="https://far.example")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("SATCHEL_LOCAL_KEY", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def test_file_exists_while_the_server_runs() -> None:
    with published_key(8000, "the-key", {"good": PYTHON, "far": REMOTE}) as note:
        assert find_key(8000) == "the-key"
        assert note == f"The key for other clients is in {key_path(8000)}"
    assert find_key(8000) is None


@pytest.mark.parametrize("field", ["read_paths", "cwd"])
def test_file_that_a_server_could_read_is_not_written(state: Path, field: str) -> None:
    entry = PYTHON.model_copy(update={field: [str(state.parent)] if field == "read_paths" else str(state.parent)})

    with published_key(8000, "the-key", {"good": PYTHON, "curious": entry}) as note:
        assert find_key(8000) is None
    assert note == (
        f"No key file (the tools of 'curious' could read {key_path(8000)}): satchel ask needs SATCHEL_LOCAL_KEY."
    )


def test_link_into_a_readable_directory_is_followed(tmp_path: Path) -> None:
    shared, link = tmp_path / "shared", tmp_path / "link"
    shared.mkdir()
    link.symlink_to(shared)
    entry = PYTHON.model_copy(update={"read_paths": [str(shared)]})

    assert find_reader(link / "satchel/local-key-8000", {"curious": entry}) == "curious"
    assert find_reader(tmp_path / "other/satchel/local-key-8000", {"curious": entry}) is None


@pytest.mark.parametrize("path", ["/opt/service/.local/state/satchel/local-key-8000", "/usr/lib/x/local-key-8000"])
def test_system_directories_are_readable_for_every_server(path: str) -> None:
    assert find_reader(Path(path), {"good": PYTHON}) == "good"


def test_server_runs_without_a_file_if_it_cannot_be_written(state: Path) -> None:
    state.write_text("a file where the folder should be")

    with published_key(8000, "the-key", {"good": PYTHON}) as note:
        assert note.startswith("No key file (")
        assert "the-key" not in note
