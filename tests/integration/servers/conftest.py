import shutil
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.integration.servers.conversation import User


@pytest.fixture
def user() -> Iterator[User]:
    name = f"test-{uuid4().hex}@example.com"
    folder = Path("/tmp", name)
    (folder / "input_files").mkdir(parents=True)
    yield User(name, folder)
    shutil.rmtree(folder)
