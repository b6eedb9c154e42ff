import threading

import anyio

from satchel.adapters.event_loop import EventLoop


async def thread_name() -> str:
    await anyio.lowlevel.checkpoint()
    return threading.current_thread().name


def test_everybody_uses_the_same_loop() -> None:
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
    assert set(threading.enumerate()) == before


def test_closing_ends_what_still_runs() -> None:
    loop = EventLoop()
    task = loop.portal.start_task_soon(anyio.sleep_forever)
    loop.close()

    assert task.cancelled()


def test_a_loop_that_was_never_used_can_be_closed_and_used() -> None:
    loop = EventLoop()
    loop.close()

    assert loop.portal.call(thread_name) == "event-loop"
    loop.close()
