from collections.abc import Iterator

import pytest

from tests.integration.turn.turns import Turns, running_turns


@pytest.fixture(scope="module")
def turns(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Turns]:
    with running_turns(tmp_path_factory.mktemp("turns")) as turns:
        yield turns
