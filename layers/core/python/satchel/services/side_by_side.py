"""Run independent requests side by side, so that a step waits for the slowest of them and not for their sum."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import lru_cache
from typing import TypeVar, overload

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")

_MAX_THREADS = 64  # on one machine, the steps of all running turns share the threads


@lru_cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_MAX_THREADS, thread_name_prefix="side-by-side")


def start(work: Callable[[], A]) -> Future[A]:
    """Run a function in a thread with the log keys of the calling thread. It must not call ``side_by_side``."""
    return _threads().submit(copy_context().run, work)


@overload
def side_by_side(first: Callable[[], A], second: Callable[[], B], /) -> tuple[A, B]: ...
@overload
def side_by_side(first: Callable[[], A], second: Callable[[], B], third: Callable[[], C], /) -> tuple[A, B, C]: ...
@overload
def side_by_side(
    first: Callable[[], A], second: Callable[[], B], third: Callable[[], C], fourth: Callable[[], D], /
) -> tuple[A, B, C, D]: ...
@overload
def side_by_side(
    first: Callable[[], A],
    second: Callable[[], B],
    third: Callable[[], C],
    fourth: Callable[[], D],
    fifth: Callable[[], E],
    /,
) -> tuple[A, B, C, D, E]: ...
def side_by_side(*works: Callable[[], object]) -> tuple[object, ...]:
    """Run functions in threads and return their results. If functions fail, raise the error of the first one.

    The first function runs in the calling thread. The others must not call ``side_by_side``: all threads could wait
    for a free one. All of them keep the log keys of the calling thread.
    """
    futures = [start(work) for work in works[1:]]
    try:
        first = works[0]()
    finally:
        results = [future.exception() for future in futures]
    for error in results:
        if error is not None:
            raise error
    return (first, *(future.result() for future in futures))
