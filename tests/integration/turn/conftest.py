from collections.abc import Iterator

import pytest

from tests.integration.turn.log_recorder import LogRecorder
from tests.integration.turn.turn_driver import TurnDriver, run_backend


@pytest.fixture(scope="module")
def turns(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TurnDriver]:
    with run_backend(tmp_path_factory.mktemp("turns")) as turns:
        yield turns


@pytest.fixture
def recorder() -> Iterator[LogRecorder]:
    with LogRecorder().recording() as recorder:
        yield recorder
