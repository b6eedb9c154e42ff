import os
import socket
from pathlib import Path

import pytest

from satchel.adapters.workspace_files import open_artifact
from satchel.contract.errors import FileTooLarge, InvalidArtifact, InvalidPath

MAX_BYTES = 1000


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_text("not yours")
    workspace = tmp_path / "alice"
    (workspace / "sub").mkdir(parents=True)
    (workspace / "report.html").write_text("<p>")
    (workspace / "sub" / "chart.png").write_text("png")
    return workspace


def read(path: str, workspace: Path) -> bytes:
    with open_artifact(path, workspace, MAX_BYTES) as file:
        return file.read()


def test_absolute_path_is_opened(workspace: Path) -> None:
    assert read(f"{workspace}/report.html", workspace) == b"<p>"


@pytest.mark.parametrize("path", ["sub/chart.png", "sub/../sub/chart.png", "./sub//chart.png"])
def test_relative_path_is_relative_to_the_workspace(workspace: Path, path: str) -> None:
    assert read(path, workspace) == b"png"


def test_opened_file_is_seekable(workspace: Path) -> None:
    with open_artifact("report.html", workspace, MAX_BYTES) as file:
        assert file.seek(0, os.SEEK_END) == 3


@pytest.mark.clause("v2.1:artifacts:path-inside")
@pytest.mark.parametrize(
    "path", ["../secret", "/etc/passwd", "", ".", "/", "sub/../../secret", "report.html\0.png", "{home}2/x", "{home}"]
)
def test_path_outside_the_workspace_raises_invalid_path(workspace: Path, path: str) -> None:
    path = path.replace("{home}", str(workspace))
    with pytest.raises(InvalidPath) as raised:
        read(path, workspace)

    assert raised.value.details["attempted_path"] == path.replace("\0", "\\0")
    assert raised.value.details["allowed_prefix"] == f"{workspace}/"


@pytest.mark.clause("v2.1:artifacts:path-regular")
def test_link_inside_the_workspace_is_not_followed(workspace: Path) -> None:
    (workspace / "link").symlink_to(workspace / "report.html")
    with pytest.raises(InvalidPath) as raised:
        read("link", workspace)

    assert raised.value.details["allowed_prefix"] == f"{workspace}/"


@pytest.mark.clause("v2.1:artifacts:path-regular")
def test_linked_folder_is_not_followed(workspace: Path) -> None:
    (workspace / "up").symlink_to(workspace.parent)
    with pytest.raises(InvalidPath):
        read("up/secret", workspace)


def test_workspace_that_is_a_link_is_not_followed(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "bob").symlink_to(workspace)
    with pytest.raises(OSError, match="bob"):
        read("report.html", tmp_path / "bob")


@pytest.mark.clause("v2.1:artifacts:path-regular")
def test_hard_link_raises_invalid_path(workspace: Path) -> None:
    (workspace / "hard").hardlink_to(workspace.parent / "secret")
    with pytest.raises(InvalidPath) as raised:
        read("hard", workspace)

    assert raised.value.details["allowed_prefix"] == f"{workspace}/"


@pytest.mark.clause("v2.1:artifacts:path-regular")
def test_fifo_raises_invalid_path_without_waiting_for_a_writer(workspace: Path) -> None:
    os.mkfifo(workspace / "fifo")
    with pytest.raises(InvalidPath):
        read("fifo", workspace)


def test_socket_raises_invalid_path(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("sock")
        with pytest.raises(InvalidPath):
            read("sock", workspace)


@pytest.mark.clause("v2.1:artifacts:path-regular")
def test_directory_raises_invalid_path(workspace: Path) -> None:
    with pytest.raises(InvalidPath):
        read("sub", workspace)


def test_path_below_a_file_raises_invalid_path(workspace: Path) -> None:
    with pytest.raises(InvalidPath):
        read("report.html/x", workspace)


@pytest.mark.clause("v2.1:artifacts:path-exists")
def test_missing_file_raises_invalid_artifact_with_its_path(workspace: Path) -> None:
    with pytest.raises(InvalidArtifact, match=r"'sub/gone\.csv' cannot be stored: there is no such file$"):
        read("sub/gone.csv", workspace)


@pytest.mark.clause("v2.1:errors:file-too-large")
def test_sparse_file_over_the_limit_raises_file_too_large(workspace: Path) -> None:
    with (workspace / "giant").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(FileTooLarge) as raised:
        read("giant", workspace)

    assert raised.value.details["file_size_bytes"] == 1 << 40
    assert raised.value.details["current_limit_bytes"] == MAX_BYTES


def test_file_of_exactly_the_limit_is_opened(workspace: Path) -> None:
    (workspace / "limit").write_bytes(b"x" * MAX_BYTES)
    assert len(read("limit", workspace)) == MAX_BYTES

    (workspace / "limit").write_bytes(b"x" * (MAX_BYTES + 1))
    with pytest.raises(FileTooLarge):
        read("limit", workspace)


def test_file_of_another_user_raises_invalid_path(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: (workspace / "report.html").stat().st_uid + 1)
    with pytest.raises(InvalidPath):
        read("report.html", workspace)
