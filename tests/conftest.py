"""What holds for every test run."""

import atexit
import gc
import logging
import os
import signal
import sys
from collections.abc import Generator, Iterator

import pytest
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

from tests import service_models
from tests.tokens import TokenWatch

# Containers often say that no byte code be kept; every process of a run would then compile all that it imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
atexit.register(gc.freeze)  # a process that ends is not looked through for garbage: two seconds of each of a run's

service_models.read_once()
_SHARED_SETUP = ("tests/e2e/tools/", "tests/e2e/web/")  # each folder has a system or a browser of its own
_WATCH = TokenWatch()


def pytest_configure() -> None:
    """A run in the background of a script has Ctrl-C ignored, and so would every program that it starts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than processors: who waits for real time, as many of these tests do, leaves one to others."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LoadFileScheduling:
    """Keep the modules together that share what takes long to put up."""
    return _ByFileOrFolder(config, log)


class _ByFileOrFolder(LoadFileScheduling):  # type: ignore[misc]  # which has no types
    def _split_scope(self, nodeid: str) -> str:
        return next(
            (folder for folder in _SHARED_SETUP if nodeid.startswith(folder)), str(super()._split_scope(nodeid))
        )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the folders that stay whole: they take longest, and nobody is to wait for one at the end."""
    items.sort(key=lambda item: not item.nodeid.startswith(_SHARED_SETUP))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported meanwhile stays; to look through it for garbage takes a quarter of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _watched_logs() -> Iterator[None]:
    """Look at all that is logged in this process, down to what is logged of every request."""
    ours, root = logging.getLogger("satchel"), logging.getLogger()
    level = ours.level
    ours.setLevel(logging.INFO)
    for logger in (ours, root):
        logger.addHandler(_WATCH)
    yield
    for logger in (ours, root):
        logger.removeHandler(_WATCH)
    ours.setLevel(level)


@pytest.fixture(autouse=True)
def _no_token_is_logged(_watched_logs: None) -> Iterator[None]:
    """No test leaves a token in a log, whatever else it is about."""
    yield
    found, _WATCH.found = _WATCH.found, []
    assert found == [], "a token was logged"
