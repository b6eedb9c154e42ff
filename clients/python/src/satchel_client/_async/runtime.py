"""Differences between asyncio and threads: pauses, blocking work and parallel jobs. `_sync` has the same names."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from inspect import isawaitable
from typing import TypeVar

Result = TypeVar("Result")
Request = Callable[[], Awaitable[Result]]
Pause = Callable[[float], Awaitable[None]]
Token = str | Callable[[], str | None] | Callable[[], Awaitable[str | None]] | None
IsStopped = Callable[[], bool]
Job = Callable[[IsStopped], Awaitable[None]]

pause: Pause = asyncio.sleep


async def resolve_token(token: Token) -> str | None:
    """Return the bearer token for the next request."""
    if not callable(token):
        return token
    value = token()
    return await value if isawaitable(value) else value


async def in_thread(work: Callable[[], Result]) -> Result:
    """Return the result of work that blocks, without blocking the event loop.

    If the task is canceled, wait for the work: the caller then closes the file that the work uses.
    """
    job = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(job)
    except asyncio.CancelledError:
        await asyncio.gather(job, return_exceptions=True)
        raise


async def run_parallel(jobs: Sequence[Job], max_parallel: int) -> None:
    """Run the jobs, at most so many at the same time. After the first error, cancel all others and raise it."""
    places = asyncio.Semaphore(max_parallel)

    async def run(job: Job) -> None:
        async with places:
            await job(lambda: False)  # a canceled task ends at its next await

    tasks = [asyncio.ensure_future(run(job)) for job in jobs]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
