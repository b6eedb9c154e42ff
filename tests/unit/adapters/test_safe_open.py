import os
import socket
from pathlib import Path

import pytest

from satchel.adapters.safe_open import open_artifact
from satchel.contract.errors import FileTooLarge, InvalidArtifact, InvalidPath

MOST = 1000


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_text("not yours")
    home = tmp_path / "alice"
    (home / "sub").mkdir(parents=True)
    (home / "report.html").write_text("<p>")
    (home / "sub" / "chart.png").write_text("png")
    return home


def read(path: str, home: Path) -> bytes:
    with open_artifact(path, home, MOST) as file:
        return file.read()


def test_a_file_is_read_by_its_absolute_path(home: Path) -> None:
    assert read(f"{home}/report.html", home) == b"<p>"


@pytest.mark.parametrize("path", ["sub/chart.png", "sub/../sub/chart.png", "./sub//chart.png"])
def test_a_relative_path_is_relative_to_the_persons_directory(home: Path, path: str) -> None:
    assert read(path, home) == b"png"


def test_what_is_opened_tells_its_size(home: Path) -> None:
    with open_artifact("report.html", home, MOST) as file:
        assert file.seek(0, os.SEEK_END) == 3


@pytest.mark.clause("v2.1:artifacts:path-inside")
@pytest.mark.parametrize(
    "path", ["../secret", "/etc/passwd", "", ".", "/", "sub/../../secret", "report.html\0.png", "{home}2/x", "{home}"]
)
def test_a_path_outside_is_refused_and_named(home: Path, path: str) -> None:
    path = path.replace("{home}", str(home))
    with pytest.raises(InvalidPath) as raised:
        read(path, home)

    assert raised.value.details["attempted_path"] == path.replace("\0", "\\0")
    assert raised.value.details["allowed_prefix"] == f"{home}/"


@pytest.mark.clause("v2.1:artifacts:path-regular")
def test_a_link_is_not_followed_even_within_the_directory(home: Path) -> None:
    (home / "link").symlink_to(home / "report.html")
    with pytest.raises(InvalidPath):
        read("link", home)


@pytest.mark.clause("v2.1:artifacts:path-regular")
def test_a_linked_folder_is_not_followed(home: Path) -> None:
    (home / "up").symlink_to(home.parent)
    with pytest.raises(InvalidPath):
        read("up/secret", home)


def test_a_directory_that_became_a_link_is_not_followed(home: Path, tmp_path: Path) -> None:
    (tmp_path / "bob").symlink_to(home)
    with pytest.raises(OSError, match="bob"):
        read("report.html", tmp_path / "bob")


@pytest.mark.clause("v2.1:artifacts:path-regular")
def test_a_second_name_of_a_file_elsewhere_is_refused(home: Path) -> None:
    (home / "hard").hardlink_to(home.parent / "secret")
    with pytest.raises(InvalidPath):
        read("hard", home)


@pytest.mark.clause("v2.1:artifacts:path-regular")
def test_a_fifo_is_refused_without_waiting_for_a_writer(home: Path) -> None:
    os.mkfifo(home / "fifo")
    with pytest.raises(InvalidPath):
        read("fifo", home)


def test_a_socket_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("sock")
        with pytest.raises(InvalidPath):
            read("sock", home)


@pytest.mark.clause("v2.1:artifacts:path-regular")
def test_a_directory_is_refused(home: Path) -> None:
    with pytest.raises(InvalidPath):
        read("sub", home)


def test_a_file_below_a_file_is_refused(home: Path) -> None:
    with pytest.raises(InvalidPath):
        read("report.html/x", home)


@pytest.mark.clause("v2.1:artifacts:path-exists")
def test_a_file_that_is_not_there_is_named(home: Path) -> None:
    with pytest.raises(InvalidArtifact, match=r"sub/gone\.csv"):
        read("sub/gone.csv", home)


@pytest.mark.clause("v2.1:errors:file-too-large")
def test_a_sparse_giant_is_refused_by_its_size(home: Path) -> None:
    with (home / "giant").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(FileTooLarge) as raised:
        read("giant", home)

    assert raised.value.details["file_size_bytes"] == 1 << 40
    assert raised.value.details["current_limit_bytes"] == MOST
