"""Costs of the data folder of the local run: for a turn, for a start with many data, and for a write."""

import itertools
import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from local.emulator.data.folder import DataFolder
from tests.bench.bench_turn import MESSAGE
from tests.bench.harness import Benchmark, Comparison, Limit, Sample
from tests.bench.many_data import FILES, ITEMS, fill_folder
from tests.e2e.system_process import running_system, serve_command
from tests.e2e.user_client import UserClient

_MIB = 1 << 20
_NO_SERVERS = "{}"
_ITEM = json.dumps({"text": {"S": "x" * 500}})
_CONTENT = b"x" * 10_000
_PUT = "INSERT INTO items VALUES (?, 's', ?)"
_MAX_ADDED_SECONDS = 1.0


@contextmanager
def turns() -> Iterator[Comparison]:
    """Use one session of a system with a data folder, and one of a system that keeps its data in memory."""
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="satchel-bench-", dir=Path.cwd()))
        samples = [_turns_of(stack, data) for data in (folder, "memory")]
        yield Comparison(measured=samples[0], baseline=samples[1])


def _turns_of(stack: ExitStack, data: str) -> Sample:
    system = stack.enter_context(
        running_system(serve_command(), settings={"SATCHEL_DATA": data, "SATCHEL_USER_TURNS_PER_MINUTE": "9999"})
    )
    http = stack.enter_context(UserClient(system.url, "bench@example.com").client())
    session = http.post("/api/sessions", json={}).raise_for_status().json()["session_id"]

    def turn() -> None:
        path, headers = f"/api/sessions/{session}/turns", {"Prefer": "wait=25"}
        response = http.post(path, json={"message": MESSAGE}, headers=headers).raise_for_status().json()
        if response["tool_calls"][0]["results"]["result"] != 2:
            raise ValueError(f"1+1 was not 2: {response}")

    return turn


@contextmanager
def starts() -> Iterator[Comparison]:
    """Start systems without servers: their tool lists are no part of the measurement."""
    with _folders() as (full, empty, config):

        def seconds(folder: Path) -> float:
            with running_system(serve_command(), settings=_settings(folder, config)) as system:
                return system.ready_seconds

        yield Comparison(measured=lambda: seconds(full) - seconds(empty), baseline=lambda: seconds(empty))


@contextmanager
def item_memory() -> Iterator[Comparison]:
    """Compare the resident memory of a system with many items and files, and of one with the files alone."""
    with _folders() as (full, empty, config):
        shutil.copytree(full, empty, dirs_exist_ok=True)
        with DataFolder(empty) as folder:
            [(size,)] = folder.read("SELECT total(length(attributes)) FROM items")
            folder.write([("DELETE FROM items", ())])
        memory = partial(_resident, config=config)
        yield Comparison(measured=lambda: memory(full) - memory(empty), baseline=lambda: size / _MIB)


@contextmanager
def file_memory() -> Iterator[Comparison]:
    """Compare the resident memory of a system with many files, and of one without."""
    with _folders() as (full, empty, config):
        with DataFolder(full) as folder:
            folder.write([("DELETE FROM items", ())])
            [(size,)] = folder.read("SELECT total(length(key) + length(state)) FROM objects")
        memory = partial(_resident, config=config)
        yield Comparison(measured=lambda: memory(full) - memory(empty), baseline=lambda: size / _MIB)


def _resident(folder: Path, config: Path) -> float:
    with running_system(serve_command(), settings=_settings(folder, config)) as system:
        return psutil.Process(system.process.pid).memory_info().rss / _MIB


@contextmanager
def _folders() -> Iterator[tuple[Path, Path, Path]]:
    """Yield a folder with many data, an empty one, and a configuration without servers."""
    with TemporaryDirectory(prefix="satchel-bench-", dir=Path.cwd()) as temporary:
        full, empty, config = (Path(temporary) / name for name in ("full", "empty", "mcp.json"))
        config.write_text(_NO_SERVERS, encoding="utf-8")
        fill_folder(full)
        yield full, empty, config


def _settings(folder: Path, config: Path) -> dict[str, str]:
    return {"SATCHEL_DATA": str(folder), "SATCHEL_MCP_CONFIG": str(config)}


@contextmanager
def item_writes() -> Iterator[Comparison]:
    """Write the same items to two folders of the same disk."""
    with _two_folders() as (synchronized, unsynchronized):
        keys = itertools.count()

        def write(folder: DataFolder) -> None:
            folder.write([(_PUT, (str(next(keys)), _ITEM))])

        def write_synchronized() -> None:
            write(synchronized)
            synchronized.synchronize()

        yield Comparison(measured=write_synchronized, baseline=lambda: write(unsynchronized))


@contextmanager
def content_writes() -> Iterator[Comparison]:
    """Write contents to two folders of the same disk."""
    with _two_folders() as (synchronized, unsynchronized):
        names = itertools.count()

        def write() -> None:
            with (unsynchronized.objects / str(next(names))).open("xb") as file:
                file.write(_CONTENT)

        def add() -> None:
            synchronized.add_content([_CONTENT])

        yield Comparison(measured=add, baseline=write)


@contextmanager
def _two_folders() -> Iterator[tuple[DataFolder, DataFolder]]:
    with (
        TemporaryDirectory(prefix="satchel-bench-", dir=Path.cwd()) as temporary,
        DataFolder(Path(temporary) / "one") as one,
        DataFolder(Path(temporary) / "other") as other,
    ):
        yield one, other


BENCHMARKS = [
    Benchmark(
        name="data-turn",
        measured="a turn with one warm tool call, on a machine that keeps its data in a folder",
        baseline="the same with the data in memory",
        unit="ms",
        setup=turns,
        runs=60,
        warm_up=5,
        limit=Limit("ratio", 1.05),
    ),
    Benchmark(
        name="data-start",
        measured=f"time that {ITEMS:,} items and {FILES:,} files add to the start",
        baseline="the start with an empty folder, without servers",
        unit="s",
        setup=starts,
        runs=5,
        limit=Limit("measured", _MAX_ADDED_SECONDS),
    ),
    Benchmark(
        name="data-memory-items",
        measured=f"resident memory that {ITEMS:,} items add when the server is ready",
        baseline="the size of the items as JSON",
        unit="MiB",
        setup=item_memory,
        runs=3,
        warm_up=0,
        limit=Limit("ratio", 1.5),
    ),
    Benchmark(
        name="data-memory-files",
        measured=f"resident memory that {FILES:,} files add when the server is ready",
        baseline="the size of their keys and metadata as JSON, without contents",
        unit="MiB",
        setup=file_memory,
        runs=3,
        warm_up=0,
    ),
    Benchmark(
        name="data-item",
        measured="an item of 500 bytes, written to the disk before the request is answered",
        baseline="the same, left to the operating system: a power failure would lose it",
        unit="ms",
        setup=item_writes,
        runs=200,
        warm_up=10,
    ),
    Benchmark(
        name="data-content",
        measured="a content of 10 KB, written to the disk before the request is answered",
        baseline="the same, left to the operating system: a power failure would lose it",
        unit="ms",
        setup=content_writes,
        runs=200,
        warm_up=10,
    ),
]
