"""A running system on a small disk that becomes full (each write in turn: ``tests/integration/emulator/data``)."""

from dataclasses import replace
from pathlib import Path

import httpx2

from tests.e2e.system_process import running_system
from tests.e2e.test_restart import files_of
from tests.e2e.user_client import Json, UserClient, run_user
from tests.file_systems import small_disk

MIB = 1 << 20
DISK_MIB = 8
FULL = {"database or disk is full", "No space left on device"}


def upload(user: UserClient, name: str, size: int) -> httpx2.Response:
    return user.request("POST", "/api/files", files={"file": (name, b"x" * size)})


def fill(user: UserClient) -> tuple[list[str], Json]:
    """Upload smaller and smaller files until even an empty one is refused. Return the stored names and the refusal."""
    names: list[str] = []
    for size in (MIB, 100_000, 10_000, 0):
        while (response := upload(user, f"{size}-{len(names)}.bin", size)).is_success:
            names.append(response.json()["name"])
    return names, response.json()


def test_requests_on_a_full_disk_say_so_and_work_again_when_there_is_space(tmp_path: Path) -> None:
    ballast, settings = tmp_path / "disk/ballast", {"SATCHEL_DATA": str(tmp_path / "disk/data")}
    with small_disk(tmp_path / "disk", DISK_MIB):
        with running_system(settings=settings) as system:
            user = UserClient(system.url, run_user("full"))
            user.wait_for_tools()
            session = user.create_session()
            ballast.write_bytes(b"x" * MIB)
            names, refusal = fill(user)
            stored = files_of(user)
            assert sorted(each.partition(" ")[2] for each in stored) == sorted(names)
            assert (refusal["status"], refusal["error_code"]) == (503, "E_UNAVAILABLE")
            assert refusal["detail"].removeprefix("The data folder cannot be written: ") in FULL

            ballast.unlink()
            assert upload(user, "later.bin", 1000).is_success
            answer = user.ask(session, '/calculator.evaluate {"expression": "2+3"}')
            assert answer["tool_calls"][0]["results"]["result"] == 5
            stored = files_of(user)
            system.kill()

        with running_system(settings=settings) as system:
            user = replace(user, url=system.url)
            assert files_of(user) == stored
            assert len(stored) == len(names) + 1
