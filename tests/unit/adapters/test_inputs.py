import os
from pathlib import Path

import httpx2
import pytest

from satchel.adapters.workspace_files import fetch
from satchel.contract.errors import ToolFailed
from satchel.ports.runners import InputFile


class Bucket(httpx2.MockTransport):
    """Answers presigned GETs, and counts them."""

    def __init__(self, **objects: bytes) -> None:
        super().__init__(self._answer)
        self.objects = objects
        self.asked: list[str] = []

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        key = request.url.path.strip("/")
        self.asked.append(key)
        if key not in self.objects:
            return httpx2.Response(403)
        return httpx2.Response(200, stream=httpx2.ByteStream(self.objects[key]))


def input_file(name: str, key: str, size: int, etag: str = "e1") -> InputFile:
    return InputFile(name=name, url=f"https://bucket.example/{key}?X-Amz-Signature=secret", size=size, etag=etag)


@pytest.mark.clause("v2.1:files:brought")
def test_each_file_lies_under_its_name(tmp_path: Path) -> None:
    bucket = Bucket(one=b"a,b\n", two=b"{}")
    fetch([input_file("sales 1.csv", "one", 4), input_file("データ.json", "two", 2)], tmp_path, bucket)

    folder = tmp_path / "input_files"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        "sales 1.csv": b"a,b\n",
        "データ.json": b"{}",
    }
    assert (folder / "sales 1.csv").stat().st_mode & 0o777 == 0o600


def test_without_inputs_nothing_is_made(tmp_path: Path) -> None:
    fetch([], tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_an_unchanged_file_is_not_fetched_again(tmp_path: Path) -> None:
    bucket = Bucket(one=b"a,b\n")
    for _ in range(3):
        fetch([input_file("sales.csv", "one", 4)], tmp_path, bucket)

    assert bucket.asked == ["one"]


def test_a_new_version_is_fetched(tmp_path: Path) -> None:
    bucket = Bucket(one=b"old", two=b"newer")
    fetch([input_file("sales.csv", "one", 3)], tmp_path, bucket)
    fetch([input_file("sales.csv", "two", 5, etag="e2")], tmp_path, bucket)

    assert (tmp_path / "input_files" / "sales.csv").read_bytes() == b"newer"


def test_a_file_that_a_tool_wrote_to_is_fetched_again(tmp_path: Path) -> None:
    bucket = Bucket(one=b"a,b\n")
    fetch([input_file("sales.csv", "one", 4)], tmp_path, bucket)
    brought = tmp_path / "input_files" / "sales.csv"
    before = brought.stat()
    brought.write_bytes(b"x,y\n")
    os.utime(brought, ns=(before.st_atime_ns, before.st_mtime_ns))
    fetch([input_file("sales.csv", "one", 4)], tmp_path, bucket)

    assert brought.read_bytes() == b"a,b\n"


@pytest.mark.parametrize("memory", [b"", b"{", b"[]", b'{"sales.csv": 3}'])
def test_a_memory_that_a_tool_spoiled_is_no_memory(tmp_path: Path, memory: bytes) -> None:
    bucket = Bucket(one=b"a,b\n")
    for _ in range(2):
        fetch([input_file("sales.csv", "one", 4)], tmp_path, bucket)
        (tmp_path / ".satchel" / "inputs.json").write_bytes(memory)

    assert bucket.asked == ["one", "one"]


def test_links_that_a_tool_left_are_replaced_and_not_followed(tmp_path: Path) -> None:
    outside, workspace = tmp_path / "outside", tmp_path / "home"
    outside.mkdir()
    workspace.mkdir()
    (workspace / "input_files").symlink_to(outside)
    (workspace / ".satchel").symlink_to(outside)
    fetch([input_file("sales.csv", "one", 4)], workspace, Bucket(one=b"a,b\n"))

    assert list(outside.iterdir()) == []
    assert (workspace / "input_files" / "sales.csv").read_bytes() == b"a,b\n"


def test_a_link_in_place_of_the_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("kept")
    (tmp_path / "input_files").mkdir()
    (tmp_path / "input_files" / "sales.csv").symlink_to(tmp_path / "victim")
    fetch([input_file("sales.csv", "one", 4)], tmp_path, Bucket(one=b"a,b\n"))

    assert (tmp_path / "victim").read_text() == "kept"
    assert not (tmp_path / "input_files" / "sales.csv").is_symlink()


def test_a_directory_in_place_of_the_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "input_files" / "sales.csv" / "deep").mkdir(parents=True)
    fetch([input_file("sales.csv", "one", 4)], tmp_path, Bucket(one=b"a,b\n"))

    assert (tmp_path / "input_files" / "sales.csv").read_bytes() == b"a,b\n"


@pytest.mark.parametrize("size", [3, 5])
def test_a_file_of_another_size_than_said_is_refused_and_not_shown(tmp_path: Path, size: int) -> None:
    with pytest.raises(ToolFailed, match=r"sales\.csv"):
        fetch([input_file("sales.csv", "one", size)], tmp_path, Bucket(one=b"a,b\n"))

    assert list((tmp_path / "input_files").iterdir()) == []


def test_a_refusal_names_the_file_and_not_the_link(tmp_path: Path) -> None:
    with pytest.raises(ToolFailed) as raised:
        fetch([input_file("sales.csv", "gone", 4)], tmp_path, Bucket())

    assert raised.value.message == "The file 'sales.csv' cannot be fetched (HTTP 403)"


def test_a_lost_connection_names_the_file_and_not_the_link(tmp_path: Path) -> None:
    def lose(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError(f"cannot reach {request.url}")

    with pytest.raises(ToolFailed) as raised:
        fetch([input_file("sales.csv", "one", 4)], tmp_path, httpx2.MockTransport(lose))

    assert raised.value.message == "The file 'sales.csv' cannot be fetched (ConnectError)"


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "a\0b"])
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ToolFailed, match="is no name of a file"):
        fetch([input_file(name, "one", 4)], tmp_path, Bucket(one=b"a,b\n"))
