"""Run the work on one document in a forked process with limits of memory and time.

A hostile document can make a parser use all memory, run forever or crash. The process then ends, the caller gets an
error, and the server continues. The process is a fork, so it has the libraries that the server has imported already.
"""

import asyncio
import json
import os
import resource
import select
import signal
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, NoReturn

from .errors import Code, DocumentError

MAX_MEMORY_BYTES = 640 << 20  # above the server's own use
MAX_SILENT_SECONDS = 25.0  # below the 30 s after which Satchel ends a call without progress
MAX_SECONDS = 300

_MAX_MESSAGE_BYTES = 16 << 20
_CHUNK = 1 << 16
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")

Report = Callable[[float, str], None]
"""Reports progress: a share from 0 to 1 and a message."""
Work = Callable[[Report], dict[str, Any]]
"""Reads a document in the forked process. Returns JSON, and raises DocumentError."""


async def run_in_child(work: Work, report: Callable[[float, str], Awaitable[None]]) -> dict[str, Any]:
    """Return the result of ``work``, which runs in a process of its own. Raise DocumentError if it fails or is ended.

    ``report`` gets the progress that the work reports. The process is ended if it reports nothing for 25 s.
    """
    memory_limit = _address_space() + MAX_MEMORY_BYTES  # the sandbox hides /proc of the forked process from itself
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _run(work, writer, memory_limit)
    os.close(writer)
    try:
        messages = _messages(reader)
        while (message := await asyncio.to_thread(next, messages, None)) is not None:
            if "progress" in message:
                await report(message["progress"], message["message"])
            elif "code" in message:
                raise DocumentError(Code(message["code"]), message["message"])
            else:
                result: dict[str, Any] = message["result"]
                return result
    finally:
        os.kill(child, signal.SIGKILL)
        os.close(reader)
        _, status = await asyncio.to_thread(os.waitpid, child, 0)
    raise _ended(status)


def _messages(reader: int) -> Iterator[dict[str, Any]]:
    """Yield the messages of the child until it closes its pipe. Raise DocumentError if it is silent for too long."""
    buffer = bytearray()
    started = time.monotonic()
    while True:
        if not select.select([reader], [], [], MAX_SILENT_SECONDS)[0]:
            raise DocumentError(Code.TOO_SLOW, f"reading the document made no progress in {MAX_SILENT_SECONDS:.0f} s")
        if time.monotonic() - started > MAX_SECONDS:
            raise DocumentError(Code.TOO_SLOW, f"reading the document took longer than {MAX_SECONDS} s")
        chunk = os.read(reader, _CHUNK)
        if not chunk:
            return
        buffer += chunk
        if len(buffer) > _MAX_MESSAGE_BYTES:
            raise DocumentError(Code.TOO_LARGE, "the result is too large")
        *lines, rest = buffer.split(b"\n") if b"\n" in chunk else [buffer]
        buffer = rest
        yield from map(json.loads, lines)


def _run(work: Work, writer: int, memory_limit: int) -> NoReturn:
    """Run ``work`` in the forked process, send its result, and end the process."""

    def limited(report: Report) -> dict[str, Any]:
        _enter(memory_limit)
        return work(report)

    code = 1
    try:
        _send(writer, attempt(limited, _reporter(writer)))
        code = 0
    finally:
        os._exit(code)


def _enter(memory_limit: int) -> None:
    # The server speaks its protocol on these descriptors.
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory_limit, memory_limit))


def attempt(work: Work, report: Report) -> dict[str, Any]:
    """Return ``{"result": …}``, or ``{"code": …, "message": …}`` if the work fails, whatever it raises."""
    try:
        return {"result": work(report)}
    except DocumentError as error:
        return {"code": error.code, "message": error.message}
    except MemoryError:
        return _out_of_memory()
    except BaseException as error:  # noqa: BLE001  (libraries raise all kinds of errors for damaged files, Rust panics)
        return {"code": Code.DAMAGED, "message": f"the file cannot be read ({type(error).__name__}: {error})"[:500]}


def _reporter(writer: int) -> Report:
    """Return a function that sends progress, but not more than once a second."""
    last = 0.0

    def report(share: float, message: str) -> None:
        nonlocal last
        if time.monotonic() - last >= 1:
            last = time.monotonic()
            _send(writer, {"progress": share, "message": message})

    return report


def _out_of_memory() -> dict[str, Any]:
    return {
        "code": Code.TOO_LARGE,
        "message": f"reading the document needs more than {MAX_MEMORY_BYTES >> 20} MB of memory",
    }


def _send(writer: int, message: dict[str, Any]) -> None:
    data = memoryview(json.dumps(message).encode() + b"\n")
    while data:
        data = data[os.write(writer, data) :]


def _address_space() -> int:
    with open("/proc/self/statm", "rb") as file:  # noqa: PTH123  (the first field: the size in pages)
        return int(file.read().split()[0]) * _PAGE_BYTES


def _ended(status: int) -> DocumentError:
    """Return the error of a process that ended without a result. Libraries in C and Rust abort if memory is missing."""
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in {signal.SIGABRT, signal.SIGKILL}:
        return DocumentError(Code.TOO_LARGE, _out_of_memory()["message"])
    return DocumentError(Code.DAMAGED, "the program that reads this kind of file crashed on it: the file is damaged")
