"""A large file up, through a tool, and down again: nothing is lost, and nobody holds it in memory.

It has 128 MiB; with SATCHEL_TEST_LARGE=1, which takes minutes and 12 GB of disk, 2 GiB.
"""

import hashlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.large import apart
from tests.e2e.person import Person
from tests.e2e.system import ROOT, System, environment, free_port, running_system
from tests.memory import MemoryGrowth
from tests.processes import children_with

LARGE = os.environ.get("SATCHEL_TEST_LARGE") == "1"
SIZE = (2 << 30) if LARGE else (128 << 20)
MAX_GROWTH = 32  # MiB
PIECE = 1 << 20
PATIENCE = 600 if LARGE else 60
SERVERS = Path(__file__).parent / "servers/mcp.json"
NAME = "year.bin"

pytestmark = pytest.mark.timeout(1800 if LARGE else 120)


@dataclass
class Scene:
    """The system in its processes, a person, and the file."""

    system: System
    person: Person
    source: Path
    sha256: str
    out: Path
    api: MemoryGrowth
    runners: list[MemoryGrowth]

    def command(self, *arguments: str) -> list[str]:
        """Return a command of `satchel` as this person."""
        where = ["--url", self.system.url, "--user", self.person.name]
        return [sys.executable, "-m", "local.cli.main", *arguments, *where]

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(  # noqa: S603  (the command under test)
            self.command(*arguments),
            cwd=ROOT,
            env=environment({}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def break_off(self, until: Callable[[], bool], *arguments: str) -> None:
        """Start a command, and kill it as soon as something is so."""
        process = self.start(*arguments)
        wait_until(lambda: until() or process.poll() is not None)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL

    def run(self, *arguments: str) -> tuple[str, str]:
        """Run a command to its good end and return what it said."""
        began = time.monotonic()
        out, err = (process := self.start(*arguments)).communicate(timeout=PATIENCE)
        assert process.returncode == 0, err
        self.report(f"satchel {arguments[0]}", time.monotonic() - began)
        return out, err

    def report(self, what: str, seconds: float) -> None:
        sys.stderr.write(
            f"\n{what}: {seconds:.1f} s; growth of the API {self.api.mebibytes():.0f} MiB,"
            f" of the runners {', '.join(f'{runner.mebibytes():.0f}' for runner in self.runners)} MiB\n"
        )


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    command = [sys.executable, "-m", apart.__name__, str(free_port())]
    settings = {"SATCHEL_MCP_CONFIG": str(SERVERS)}
    with running_system(command, settings=settings, stop_seconds=30) as running:
        yield running


@pytest.fixture(scope="module")
def scene(system: System, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """All have worked once before memory is looked at: what is loaded for good is no growth."""
    person = Person(system.url, "large@example.com")
    session_id = person.session()
    person.upload(session_id, "small.bin", b"small")
    person.ask(session_id, '/copying.copy {"filename": "small.bin"}')
    folder = tmp_path_factory.mktemp("large")
    source = folder / NAME
    digest = _write(source)
    out = folder / "out"
    out.mkdir()
    api = re.search(r"process (\d+)", system.said())
    assert api
    runners = [MemoryGrowth(pid) for pid in _runners(system)]
    assert runners
    yield Scene(system, person, source, digest, out, MemoryGrowth(api[1]), runners)
    for path in (source, *out.iterdir()):
        path.unlink()


def _write(path: Path) -> str:
    """Write bytes of which no two parts are alike, and return their hash."""
    digest, seed = hashlib.sha256(), os.urandom(PIECE - 8)
    with path.open("wb") as file:
        for number in range(SIZE // PIECE):
            piece = number.to_bytes(8, "big") + seed
            digest.update(piece)
            file.write(piece)
    return digest.hexdigest()


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _runners(system: System) -> list[int]:
    """Find the environments that have started the server: its processes' parents."""
    return sorted({server.ppid() for server in children_with("copying.py", system.process.pid, recursive=True)})


def wait_until(reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def test_1_an_upload_that_is_broken_off_goes_on_where_it_was(scene: Scene) -> None:
    def some_parts_came() -> bool:
        uploads = scene.person.call("GET", "/api/files/uploads").json()["uploads"]
        return bool(uploads) and bool(_stored(scene, uploads[0]["upload_id"]))

    scene.break_off(some_parts_came, "upload", str(scene.source))
    [upload] = scene.person.call("GET", "/api/files/uploads").json()["uploads"]
    before = _stored(scene, upload["upload_id"])
    assert 0 < len(before) < upload["part_count"]
    assert scene.person.call("GET", "/api/files", params={"name_prefix": NAME}).json()["files"] == []

    out, err = scene.run("upload", str(scene.source))

    assert err.splitlines()[-1].startswith(f"{NAME}: 100% (")
    file_key = out.split()[0]
    assert file_key == upload["upload_id"]
    record = scene.person.call("GET", f"/api/files/{file_key}", params={"content": False}).json()
    assert (record["name"], record["size"], record["version"]) == (NAME, SIZE, 1)
    assert scene.person.call("GET", "/api/files/uploads").json()["uploads"] == []


def _stored(scene: Scene, upload_id: str) -> list[int]:
    answer = scene.person.call("GET", f"/api/files/uploads/{upload_id}").json()
    return [part["number"] for part in answer.get("stored", [])]


def test_2_a_download_that_is_broken_off_goes_on_where_it_was(scene: Scene) -> None:
    def some_bytes_came() -> bool:
        return any(path.stat().st_size > PIECE for path in scene.out.glob(".*.part"))

    scene.break_off(some_bytes_came, "download", NAME, "--out", str(scene.out))
    [part] = scene.out.iterdir()
    assert 0 < part.stat().st_size < SIZE

    _, err = scene.run("download", NAME, "--out", str(scene.out))

    assert err.splitlines()[-1].startswith(f"{NAME}: 100% (")
    assert [path.name for path in scene.out.iterdir()] == [NAME]
    assert _hash(scene.out / NAME) == scene.sha256


@pytest.mark.clause("v2.1:input:any-size")
def test_3_a_tool_takes_it_and_returns_one_of_its_size(scene: Scene) -> None:
    began = time.monotonic()
    response = scene.person.ask(scene.person.session(), f'/copying.copy {{"filename": "{NAME}"}}')
    scene.report("the turn", time.monotonic() - began)

    [call] = response["tool_calls"]
    assert call["results"] == {"sha256": scene.sha256, "size": SIZE}
    [artifact] = response["artifacts"]
    assert artifact["size"] == SIZE
    scene.run("download", artifact["file_key"], "--out", str(scene.out))
    assert _hash(scene.out / f"copy of {NAME}") == scene.sha256


def test_4_neither_the_api_nor_the_runner_has_held_it(scene: Scene) -> None:
    assert scene.api.mebibytes() < MAX_GROWTH
    assert max(runner.mebibytes() for runner in scene.runners) < MAX_GROWTH
