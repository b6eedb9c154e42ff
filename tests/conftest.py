"""Configuration of every test run, and the search for tokens in its logs."""

import atexit
import gc
import logging
import os
import signal
import sys
from collections.abc import Generator, Iterator, Sequence

import pytest
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

from satchel.bootstrap import end_startup
from tests import service_models
from tests.priority import interrupt_sessions, use_own_session
from tests.tokens import TokenWatch

# Containers often disable bytecode files. Every process of a run would then compile all its imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
atexit.register(gc.freeze)  # skips garbage collection at exit, which takes two seconds per process

os.environ["SATCHEL_DATA"] = "memory"  # no test may use the developer's data

service_models.cache_service_models()
_SHARED_SETUP = (
    "tests/e2e/specifications/",
    "tests/e2e/tools/",
)  # each folder shares one system
_LONG_MODULES = (
    "tests/e2e/web/",  # in a row, because a worker's browser stops when another folder follows
    "tests/infra/deployment/test_deployment.py",  # the first to need the templates, which many modules then share
    "tests/e2e/test_timeouts.py",
    "tests/infra/test_setting_changes.py",
    "tests/integration/turn/test_fault_injection.py",
    "tests/infra/deployment/",
    "tests/unit/test_decoder_memory.py",
    "tests/integration/http/test_schemathesis.py",
    "tests/unit/test_regular_expressions.py",
    "tests/unit/adapters/test_json_schema.py",
    "tests/unit/functions/test_imports.py",
)
"""Modules that take long, in the order of their start. At the end of a run, other workers would wait for them."""
_WATCH = TokenWatch()
_WATCHED = (logging.getLogger("satchel"), logging.getLogger())


def pytest_configure() -> None:
    """Give a worker its own session. Restore SIGINT, which background jobs ignore, and so do their child processes."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        use_own_session()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_keyboard_interrupt() -> None:
    """Pass SIGINT on to the workers and their programs. In sessions of their own, no terminal sends it to them."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        interrupt_sessions()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return one more than the number of CPUs, because many tests only wait."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LoadFileScheduling:
    """Keep modules that share an expensive fixture in one worker."""
    return _ByFileOrFolder(config, log)


class _ByFileOrFolder(LoadFileScheduling):  # type: ignore[misc]  # it has no types
    def _split_scope(self, nodeid: str) -> str:
        return next(
            (folder for folder in _SHARED_SETUP if nodeid.startswith(folder)), str(super()._split_scope(nodeid))
        )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with the folders that stay in one worker and with the long modules, which must not start last."""
    first = (*_SHARED_SETUP, *_LONG_MODULES)
    items.sort(key=lambda item: _position(item.nodeid, first))


def _position(nodeid: str, beginnings: Sequence[str]) -> int:
    """Return the index of the first beginning of the node id, or their number if there is none."""
    return next((index for index, beginning in enumerate(beginnings) if nodeid.startswith(beginning)), len(beginnings))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Disable garbage collection during imports, where it takes a quarter of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        end_startup()
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _token_handler() -> Iterator[None]:
    """Search all logs of this process for tokens, including the INFO lines of each request."""
    level = _WATCHED[0].level
    _WATCHED[0].setLevel(logging.INFO)
    for logger in _WATCHED:
        logger.addHandler(_WATCH)
    with pytest.MonkeyPatch.context() as patch:
        # Deployed functions replace the handlers of the loggers.
        patch.setattr("satchel.bootstrap.observed._set_up_logs", lambda _service: None)
        yield
    for logger in _WATCHED:
        logger.removeHandler(_WATCH)
    _WATCHED[0].setLevel(level)


@pytest.fixture(autouse=True)
def _no_token_is_logged(_token_handler: None) -> Iterator[None]:
    """Fail a test that logged a token, and a test after which the logs are no longer searched."""
    yield
    assert all(_WATCH in logger.handlers for logger in _WATCHED), "the test removed the handlers of a logger"
    found, _WATCH.found = _WATCH.found, []
    assert found == [], "a token was logged"
