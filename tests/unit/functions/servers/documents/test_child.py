import ctypes
import faulthandler
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from functions.servers.documents.document_reader import actions, child
from functions.servers.documents.document_reader.child import Report, Work, run_in_child
from functions.servers.documents.document_reader.errors import Code, DocumentError
from tests.documents.samples import write_xlsx

# Since Python 3.12, a fork of a process with several threads is reported, because threads may hold locks.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")


def run(work: Work, progress: list[tuple[float, str]] | None = None) -> dict[str, Any]:
    async def report(share: float, message: str) -> None:
        if progress is not None:
            progress.append((share, message))

    async def call() -> dict[str, Any]:
        return await run_in_child(work, report)

    return anyio.run(call)


def test_result_of_the_work_is_returned_with_its_progress() -> None:
    progress: list[tuple[float, str]] = []

    def work(report: Report) -> dict[str, Any]:
        report(0.5, "Half")
        return {"process": os.getpid()}

    assert run(work, progress)["process"] != os.getpid()
    assert progress == [(0.5, "Half")]


def test_error_of_the_work_is_raised() -> None:
    def work(_report: Report) -> dict[str, Any]:
        raise DocumentError(Code.EMPTY, "nothing there")

    with pytest.raises(DocumentError, match="E_EMPTY: nothing there"):
        run(work)


def _crash(_report: Report) -> dict[str, Any]:
    faulthandler.disable()  # pytest would print the state of all threads
    ctypes.string_at(0)
    return {}


def _use_memory(_report: Report) -> dict[str, Any]:
    return {"size": len(bytearray(2 << 30))}


def _abort(_report: Report) -> dict[str, Any]:
    os.abort()


def _exit(_report: Report) -> dict[str, Any]:
    os._exit(0)


def _panic(_report: Report) -> dict[str, Any]:
    class PanicError(BaseException):
        pass

    raise PanicError("index out of range")


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (_crash, "E_DAMAGED: the program that reads this kind of file crashed on it"),
        (_use_memory, "E_TOO_LARGE: reading the document needs more than 640 MB of memory"),
        (_abort, "E_TOO_LARGE: reading the document needs more than 640 MB of memory"),
        (_exit, "E_DAMAGED: the program that reads this kind of file crashed on it"),
        (_panic, r"E_DAMAGED: the file cannot be read \(PanicError: index out of range\)"),
    ],
)
def test_end_of_the_process_is_an_error_and_not_the_end_of_the_server(work: Work, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        run(work)


def test_silent_process_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    fork, pids = os.fork, list[int]()

    def noting_fork() -> int:
        pids.append(fork())
        return pids[-1]

    def work(_report: Report) -> dict[str, Any]:
        time.sleep(60)
        return {}

    monkeypatch.setattr(child, "MAX_SILENT_SECONDS", 0.2)
    monkeypatch.setattr(os, "fork", noting_fork)
    with pytest.raises(DocumentError, match="E_TOO_SLOW: reading the document made no progress"):
        run(work)
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


def test_process_that_sends_too_much_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "_MAX_MESSAGE_BYTES", 1000)

    with pytest.raises(DocumentError, match="E_TOO_LARGE: the result is too large"):
        run(lambda _report: {"text": "x" * 100_000})


def test_canceled_call_ends_the_process(tmp_path: Path) -> None:
    def work(_report: Report) -> dict[str, Any]:
        (tmp_path / "pid.new").write_text(str(os.getpid()))
        (tmp_path / "pid.new").rename(tmp_path / "pid")
        time.sleep(60)
        return {}

    async def no_report(_share: float, _message: str) -> None:
        raise AssertionError

    async def call() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run_in_child, work, no_report)
            while not (tmp_path / "pid").exists():  # noqa: ASYNC110  (another process writes it)
                await anyio.sleep(0.01)
            tasks.cancel_scope.cancel()

    anyio.run(call)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


@pytest.mark.parametrize("action", [actions.outline, lambda f, r: actions.read(f, None, None, None, None, None, 0, r)])
def test_workbook_with_cells_far_apart_needs_too_much_memory(
    tmp_path: Path, action: Callable[[str, Report], dict[str, Any]]
) -> None:
    path = tmp_path / "sparse.xlsx"
    write_xlsx(path, {"Sheet": [[1]]}, far_cell=(1_048_575, 16_383))

    with pytest.raises(DocumentError, match="E_TOO_LARGE: reading the document needs more than 640 MB of memory"):
        run(lambda report: action(str(path), report))
