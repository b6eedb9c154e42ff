import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from tests.integration.servers.conversation import Server, User, running


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Server]]:
    """Have an example server by its name, which runs from the first test that wants it to the end of the module."""
    started: dict[str, Server] = {}
    with ExitStack() as stack:

        def find(name: str) -> Server:
            if name not in started:
                started[name] = stack.enter_context(running(name, tmp_path_factory.mktemp(name)))
            return started[name]

        yield find


@pytest.fixture
def user() -> Iterator[User]:
    with somebody() as user:
        yield user


@contextmanager
def somebody() -> Iterator[User]:
    """Give a user a folder that is gone afterwards."""
    name = f"test-{uuid4().hex}@example.com"
    folder = Path("/tmp", name)
    (folder / "input_files").mkdir(parents=True)
    yield User(name, folder)
    shutil.rmtree(folder)
