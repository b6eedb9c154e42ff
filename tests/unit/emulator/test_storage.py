"""The API responds when the data are on the disk, and says why they cannot be written."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from botocore.exceptions import ClientError
from fastapi import FastAPI
from starlette.testclient import TestClient

from local.emulator.data.folder import DataFolder, refusal
from local.emulator.data.store import DataStore
from local.emulator.storage import SynchronizedResponses, report_storage_errors


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[DataFolder]:
    with DataFolder(tmp_path / "data") as folder:
        yield folder


def write(folder: DataFolder) -> None:
    folder.write([("INSERT INTO secrets VALUES (?, 'b')", (str(folder.is_synchronized),))])


def synced_files(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which the name of each file is added that is synchronized."""
    found: list[str] = []
    monkeypatch.setattr(
        "local.emulator.data.folder.os.fsync",
        lambda descriptor: found.append(Path(f"/proc/self/fd/{descriptor}").readlink().name),
    )
    return found


def test_response_is_sent_after_its_writes_are_on_the_disk(folder: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    app, synced = FastAPI(), synced_files(monkeypatch)

    @app.post("/write")
    def handle() -> bool:
        write(folder)
        return folder.is_synchronized

    http = TestClient(SynchronizedResponses(app, DataStore(folder)))
    assert http.post("/write").json() is False
    assert (folder.is_synchronized, synced) == (True, ["satchel.sqlite-wal"])


def test_synchronization_after_several_writes_happens_once(folder: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = synced_files(monkeypatch)
    write(folder)
    write(folder)

    for _ in range(2):
        folder.synchronize()

    assert synced == ["satchel.sqlite-wal"]


def test_failed_synchronization_is_repeated(folder: DataFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> None:
        raise OSError(5, "Input/output error")

    write(folder)
    with monkeypatch.context() as patch:
        patch.setattr("local.emulator.data.folder.os.fsync", fail)
        with pytest.raises(OSError, match="Input/output error"):
            folder.synchronize()

    assert not folder.is_synchronized
    folder.synchronize()
    assert folder.is_synchronized


@pytest.mark.parametrize("reason", [refusal(OSError(28, "No space left on device", "/secret/path")), "Throttled"])
def test_only_a_refused_write_is_answered_with_its_reason(reason: str) -> None:
    app = report_storage_errors(FastAPI())

    @app.get("/")
    def handle() -> None:
        raise ClientError({"Error": {"Code": "ServiceUnavailable", "Message": reason}}, "PutObject")

    response = TestClient(app, raise_server_exceptions=False).get("/")

    if reason == "Throttled":
        assert response.status_code == 500
    else:
        assert (response.status_code, response.json()["detail"]) == (
            503,
            "The data folder cannot be written: No space left on device",
        )
