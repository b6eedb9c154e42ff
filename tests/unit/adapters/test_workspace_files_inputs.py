import os
from pathlib import Path

import httpx2
import pytest

from satchel.adapters.workspace_files import fetch_inputs
from satchel.contract.errors import ToolFailed
from satchel.ports.runners import InputFile


class Bucket(httpx2.MockTransport):
    """Answers presigned GET requests, and records their keys."""

    def __init__(self, **objects: bytes) -> None:
        super().__init__(self._answer)
        self.objects = objects
        self.requests: list[str] = []

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        assert (request.method, request.headers["accept-encoding"]) == ("GET", "identity")
        assert set(request.extensions["timeout"].values()) == {30.0}
        key = request.url.path.strip("/")
        self.requests.append(key)
        if key not in self.objects:
            return httpx2.Response(403)
        return httpx2.Response(200, stream=httpx2.ByteStream(self.objects[key]))


def input_file(name: str, key: str, size: int, etag: str = "e1") -> InputFile:
    return InputFile(name=name, url=f"https://bucket.example/{key}?X-Amz-Signature=secret", size=size, etag=etag)


@pytest.mark.clause("v2.1:files:brought")
def test_each_input_is_stored_under_its_name(tmp_path: Path) -> None:
    bucket = Bucket(one=b"a,b\n", two=b"{}")
    fetch_inputs([input_file("sales 1.csv", "one", 4), input_file("データ.json", "two", 2)], tmp_path, bucket)

    folder = tmp_path / "input_files"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        "sales 1.csv": b"a,b\n",
        "データ.json": b"{}",
    }
    assert (folder / "sales 1.csv").stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


def test_file_that_arrives_in_several_chunks_is_stored_completely(tmp_path: Path) -> None:
    content = bytes(range(256)) * (3 << 12)  # 3 MiB
    fetch_inputs([input_file("big.bin", "one", len(content))], tmp_path, Bucket(one=content))

    assert (tmp_path / "input_files" / "big.bin").read_bytes() == content


def test_no_inputs_create_no_folder(tmp_path: Path) -> None:
    fetch_inputs([], tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_unchanged_file_is_not_fetched_again(tmp_path: Path) -> None:
    bucket = Bucket(one=b"a,b\n")
    for _ in range(3):
        fetch_inputs([input_file("sales.csv", "one", 4)], tmp_path, bucket)

    assert bucket.requests == ["one"]


def test_new_version_is_fetched(tmp_path: Path) -> None:
    bucket = Bucket(one=b"old", two=b"newer")
    fetch_inputs([input_file("sales.csv", "one", 3)], tmp_path, bucket)
    fetch_inputs([input_file("sales.csv", "two", 5, etag="e2")], tmp_path, bucket)

    assert (tmp_path / "input_files" / "sales.csv").read_bytes() == b"newer"


def test_file_changed_by_a_tool_is_fetched_again(tmp_path: Path) -> None:
    bucket = Bucket(one=b"a,b\n")
    fetch_inputs([input_file("sales.csv", "one", 4)], tmp_path, bucket)
    target = tmp_path / "input_files" / "sales.csv"
    before = target.stat()
    target.write_bytes(b"x,y\n")
    os.utime(target, ns=(before.st_atime_ns, before.st_mtime_ns))
    fetch_inputs([input_file("sales.csv", "one", 4)], tmp_path, bucket)

    assert target.read_bytes() == b"a,b\n"


@pytest.mark.parametrize("damaged", [b"", b"{", b"[]", b'{"sales.csv": 3}'])
def test_damaged_state_file_is_ignored(tmp_path: Path, damaged: bytes) -> None:
    bucket = Bucket(one=b"a,b\n")
    for _ in range(2):
        fetch_inputs([input_file("sales.csv", "one", 4)], tmp_path, bucket)
        (tmp_path / ".satchel" / "inputs.json").write_bytes(damaged)

    assert bucket.requests == ["one", "one"]


def test_linked_folders_are_replaced_and_not_followed(tmp_path: Path) -> None:
    outside, workspace = tmp_path / "outside", tmp_path / "alice"
    outside.mkdir()
    workspace.mkdir()
    (workspace / "input_files").symlink_to(outside)
    (workspace / ".satchel").symlink_to(outside)
    fetch_inputs([input_file("sales.csv", "one", 4)], workspace, Bucket(one=b"a,b\n"))

    assert list(outside.iterdir()) == []
    assert (workspace / "input_files" / "sales.csv").read_bytes() == b"a,b\n"


def test_link_in_place_of_the_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("untouched")
    (tmp_path / "input_files").mkdir()
    (tmp_path / "input_files" / "sales.csv").symlink_to(tmp_path / "victim")
    fetch_inputs([input_file("sales.csv", "one", 4)], tmp_path, Bucket(one=b"a,b\n"))

    assert (tmp_path / "victim").read_text() == "untouched"
    assert not (tmp_path / "input_files" / "sales.csv").is_symlink()


def test_link_that_a_tool_creates_during_the_download_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("untouched")

    def answer(_request: httpx2.Request) -> httpx2.Response:
        (tmp_path / ".satchel" / "incoming").symlink_to(victim)
        return httpx2.Response(200, content=b"a,b\n")

    with pytest.raises(FileExistsError):
        fetch_inputs([input_file("sales.csv", "one", 4)], tmp_path, httpx2.MockTransport(answer))

    assert victim.read_text() == "untouched"


def test_directory_in_place_of_the_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "input_files" / "sales.csv" / "deep").mkdir(parents=True)
    fetch_inputs([input_file("sales.csv", "one", 4)], tmp_path, Bucket(one=b"a,b\n"))

    assert (tmp_path / "input_files" / "sales.csv").read_bytes() == b"a,b\n"


@pytest.mark.parametrize("size", [3, 5])
def test_file_with_unexpected_size_raises_and_is_not_stored(tmp_path: Path, size: int) -> None:
    with pytest.raises(ToolFailed, match=r"sales\.csv"):
        fetch_inputs([input_file("sales.csv", "one", size)], tmp_path, Bucket(one=b"a,b\n"))

    assert list((tmp_path / "input_files").iterdir()) == []


def test_http_error_names_the_file_and_not_the_link(tmp_path: Path) -> None:
    with pytest.raises(ToolFailed) as raised:
        fetch_inputs([input_file("sales.csv", "gone", 4)], tmp_path, Bucket())

    assert raised.value.message == "The file 'sales.csv' cannot be fetched (HTTP 403)"


def test_connection_error_names_the_file_and_not_the_link(tmp_path: Path) -> None:
    def lose(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError(f"cannot reach {request.url}")

    with pytest.raises(ToolFailed) as raised:
        fetch_inputs([input_file("sales.csv", "one", 4)], tmp_path, httpx2.MockTransport(lose))

    assert raised.value.message == "The file 'sales.csv' cannot be fetched (ConnectError)"


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "a\0b"])
def test_file_name_with_a_path_raises(tmp_path: Path, name: str) -> None:
    with pytest.raises(ToolFailed, match="is not a valid file name"):
        fetch_inputs([input_file(name, "one", 4)], tmp_path, Bucket(one=b"a,b\n"))
