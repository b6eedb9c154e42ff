"""Work of the asyncio client that blocks, in threads."""

import asyncio
import threading

import pytest

from satchel_client._async.runtime import in_thread


async def cancel_running_work() -> bool:
    """Cancel a task while its work runs. Return True if it waited for the work, and was then canceled."""
    begun, may_end = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def work() -> None:
        loop.call_soon_threadsafe(begun.set)
        may_end.wait(60)

    task = asyncio.ensure_future(in_thread(work))
    await begun.wait()
    task.cancel()
    await asyncio.sleep(0.05)
    waited = not task.done()
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    return waited


def test_canceled_task_waits_for_the_work_that_uses_its_file() -> None:
    assert asyncio.run(cancel_running_work())
