import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from tests.integration.example_servers.server_process import Server, User, running


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Server]]:
    """A function that returns an example server by name. Each runs from its first use to the end of the module."""
    started: dict[str, Server] = {}
    with ExitStack() as stack:

        def get(name: str) -> Server:
            if name not in started:
                started[name] = stack.enter_context(running(name, tmp_path_factory.mktemp(name)))
            return started[name]

        yield get


@pytest.fixture
def user() -> Iterator[User]:
    with new_user() as user:
        yield user


@contextmanager
def new_user() -> Iterator[User]:
    """Yield a new user with a folder, which is removed afterwards."""
    name = f"test-{uuid4().hex}@example.com"
    folder = Path("/tmp", name)
    (folder / "input_files").mkdir(parents=True)
    yield User(name, folder)
    shutil.rmtree(folder)
