"""Differences between asyncio and threads: pauses, blocking work and parallel jobs. `_async` has the same names."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from threading import Event
from typing import TypeVar

Result = TypeVar("Result")
Request = Callable[[], Result]
Pause = Callable[[float], None]
Token = str | Callable[[], str | None] | None
IsStopped = Callable[[], bool]
Job = Callable[[IsStopped], None]

pause: Pause = time.sleep


def resolve_token(token: Token) -> str | None:
    """Return the bearer token for the next request."""
    return token() if callable(token) else token


def in_thread(work: Callable[[], Result]) -> Result:
    """Return the result of work that blocks."""
    return work()


def run_parallel(jobs: Sequence[Job], max_parallel: int) -> None:
    """Run the jobs, at most so many at the same time. After the first error, stop all others and raise it."""
    stop = Event()
    pool = ThreadPoolExecutor(max_parallel, thread_name_prefix="satchel")
    try:
        futures = [pool.submit(job, stop.is_set) for job in jobs]
        wait(futures, return_when=FIRST_EXCEPTION)
        failed = [error for each in futures if each.done() and (error := each.exception()) is not None]
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)
    if failed:
        raise failed[0]
