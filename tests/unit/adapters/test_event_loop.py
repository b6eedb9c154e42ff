import threading

import anyio

from satchel.adapters.event_loop import EventLoop


async def thread_name() -> str:
    await anyio.lowlevel.checkpoint()
    return threading.current_thread().name


def test_all_threads_share_one_loop() -> None:
    before = set(threading.enumerate())
    loop = EventLoop()
    names: list[str] = []
    threads = [threading.Thread(target=lambda: names.append(loop.portal.call(thread_name))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    loop.close()

    assert names == ["event-loop"] * 8
    started = set(threading.enumerate()) - before
    assert "event-loop" not in [thread.name for thread in started]  # threads of earlier tests may start others


def test_close_cancels_running_tasks() -> None:
    loop = EventLoop()
    task = loop.portal.start_task_soon(anyio.sleep_forever)
    loop.close()

    assert task.cancelled()


def test_unused_loop_can_be_closed_and_used_afterwards() -> None:
    loop = EventLoop()
    loop.close()

    assert loop.portal.call(thread_name) == "event-loop"
    loop.close()
