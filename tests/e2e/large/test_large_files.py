"""Upload of a large file, a tool call with it and its download: no byte is lost, and no process loads it into memory.

The file has 128 MiB, or 2 GiB with SATCHEL_TEST_LARGE=1, which takes minutes and 12 GB of disk. The tests run in this
order, because each needs the files of the one before.
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

import psutil
import pytest

from tests.e2e.large import separate_api
from tests.e2e.system_process import ROOT, SystemProcess, environment, free_port, running_system
from tests.e2e.user_client import UserClient, run_user, wait_for_tools
from tests.memory import MemoryGrowth

LARGE = os.environ.get("SATCHEL_TEST_LARGE") == "1"
SIZE = (2 << 30) if LARGE else (128 << 20)
MAX_GROWTH = 32  # MiB
CHUNK_SIZE = 1 << 20
TIMEOUT_SECONDS = 600 if LARGE else 240
MCP_CONFIG = Path(__file__).parent / "mcp.json"
NAME = "year.bin"

pytestmark = pytest.mark.timeout(1800 if LARGE else 600)


@dataclass
class Scenario:
    """The system, a user, the file to upload, the download folder and the memory of the processes."""

    system: SystemProcess
    user: UserClient
    source: Path
    sha256: str
    downloads: Path
    api: MemoryGrowth
    runners: list[MemoryGrowth]

    def command(self, *arguments: str) -> list[str]:
        """Return a `satchel` command line of this user."""
        options = ["--url", self.system.url, "--user", self.user.name]
        return [sys.executable, "-m", "local.cli.main", *arguments, *options]

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(  # noqa: S603  (the command under test)
            self.command(*arguments),
            cwd=ROOT,
            env=environment({}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def interrupt(self, condition: Callable[[], bool], *arguments: str) -> None:
        """Start a command and kill it as soon as the condition is true. It is stopped (SIGSTOP) during each check."""
        process = self.start(*arguments)
        deadline = time.monotonic() + TIMEOUT_SECONDS
        try:
            process.send_signal(signal.SIGSTOP)
            while not condition() and process.poll() is None:
                assert time.monotonic() < deadline
                process.send_signal(signal.SIGCONT)
                time.sleep(0.005)
                process.send_signal(signal.SIGSTOP)
        finally:
            process.send_signal(signal.SIGKILL)
            process.communicate()
        assert process.returncode == -signal.SIGKILL

    def run(self, *arguments: str) -> tuple[str, str]:
        """Run a command, which must succeed, and return its output and its error output."""
        start = time.monotonic()
        out, err = (process := self.start(*arguments)).communicate(timeout=TIMEOUT_SECONDS)
        assert process.returncode == 0, err
        self.report(f"satchel {arguments[0]}", time.monotonic() - start)
        return out, err

    def report(self, step: str, seconds: float) -> None:
        sys.stderr.write(
            f"\n{step}: {seconds:.1f} s; growth of the API {self.api.mebibytes():.0f} MiB,"
            f" of the runners {', '.join(f'{runner.mebibytes():.0f}' for runner in self.runners)} MiB\n"
        )


@pytest.fixture(scope="module")
def system() -> Iterator[SystemProcess]:
    command = [sys.executable, "-m", separate_api.__name__, str(free_port())]
    settings = {"SATCHEL_MCP_CONFIG": str(MCP_CONFIG)}
    with running_system(command, settings=settings) as running:
        wait_for_tools(running.url)
        yield running


@pytest.fixture(scope="module")
def scenario(system: SystemProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scenario]:
    """Uses every process once before measuring memory, because lazy imports must not count as growth."""
    user = UserClient(system.url, run_user("large"))
    session_id = user.create_session()
    user.upload(session_id, "small.bin", b"small")
    user.ask(session_id, '/file_copy.copy {"filename": "small.bin"}')
    folder = tmp_path_factory.mktemp("large")
    source = folder / NAME
    digest = _write(source)
    downloads = folder / "downloads"
    downloads.mkdir()
    api = re.search(r"process (\d+)", system.output())
    assert api
    runners = [MemoryGrowth(pid) for pid in _runners(system)]
    assert runners
    yield Scenario(system, user, source, digest, downloads, MemoryGrowth(api[1]), runners)
    for path in (source, *downloads.iterdir()):
        path.unlink()


def _write(path: Path) -> str:
    """Write a file whose chunks all differ, and return its SHA-256 hash."""
    digest, random_bytes = hashlib.sha256(), os.urandom(CHUNK_SIZE - 8)
    with path.open("wb") as file:
        for number in range(SIZE // CHUNK_SIZE):
            chunk = number.to_bytes(8, "big") + random_bytes
            digest.update(chunk)
            file.write(chunk)
    return digest.hexdigest()


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _runners(system: SystemProcess) -> list[int]:
    """Return the process ids of the runners of the server ``file_copy``."""
    processes = psutil.Process(system.process.pid).children(recursive=True)
    return sorted(process.pid for process in processes if process.name().endswith("run-file_copy"))


def test_1_interrupted_upload_resumes(scenario: Scenario) -> None:
    def some_parts_are_stored() -> bool:
        uploads = scenario.user.request("GET", "/api/files/uploads").json()["uploads"]
        return bool(uploads) and bool(_stored_parts(scenario, uploads[0]["upload_id"]))

    scenario.interrupt(some_parts_are_stored, "upload", str(scenario.source))
    [upload] = scenario.user.request("GET", "/api/files/uploads").json()["uploads"]
    stored = _stored_parts(scenario, upload["upload_id"])
    assert 0 < len(stored) < upload["part_count"]
    assert scenario.user.request("GET", "/api/files", params={"name_prefix": NAME}).json()["files"] == []

    out, err = scenario.run("upload", str(scenario.source))

    assert err.splitlines()[-1].startswith(f"{NAME}: 100% (")
    file_key = out.split()[0]
    assert file_key == upload["upload_id"]
    record = scenario.user.request("GET", f"/api/files/{file_key}", params={"content": False}).json()
    assert (record["name"], record["size"], record["version"]) == (NAME, SIZE, 1)
    assert scenario.user.request("GET", "/api/files/uploads").json()["uploads"] == []


def _stored_parts(scenario: Scenario, upload_id: str) -> list[int]:
    upload = scenario.user.request("GET", f"/api/files/uploads/{upload_id}").json()
    return [part["number"] for part in upload.get("stored", [])]


def test_2_interrupted_download_resumes(scenario: Scenario) -> None:
    def some_bytes_are_written() -> bool:
        return any(path.stat().st_size > CHUNK_SIZE for path in scenario.downloads.glob(".*.part"))

    scenario.interrupt(some_bytes_are_written, "download", NAME, "--out", str(scenario.downloads))
    [part] = scenario.downloads.iterdir()
    assert 0 < part.stat().st_size < SIZE

    _, err = scenario.run("download", NAME, "--out", str(scenario.downloads))

    assert err.splitlines()[-1].startswith(f"{NAME}: 100% (")
    assert [path.name for path in scenario.downloads.iterdir()] == [NAME]
    assert _hash(scenario.downloads / NAME) == scenario.sha256


@pytest.mark.clause("v2.1:input:any-size")
def test_3_tool_reads_the_file_and_returns_one_of_the_same_size(scenario: Scenario) -> None:
    start = time.monotonic()
    response = scenario.user.ask(scenario.user.create_session(), f'/file_copy.copy {{"filename": "{NAME}"}}')
    scenario.report("the turn", time.monotonic() - start)

    [call] = response["tool_calls"]
    assert call["results"] == {"sha256": scenario.sha256, "size": SIZE}
    [artifact] = response["artifacts"]
    assert artifact["size"] == SIZE
    scenario.run("download", artifact["file_key"], "--out", str(scenario.downloads))
    assert _hash(scenario.downloads / f"copy of {NAME}") == scenario.sha256


def test_4_memory_of_the_api_and_the_runners_grows_by_less_than_32_mib(scenario: Scenario) -> None:
    assert scenario.api.mebibytes() < MAX_GROWTH
    assert max(runner.mebibytes() for runner in scenario.runners) < MAX_GROWTH
