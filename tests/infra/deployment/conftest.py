from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.infra.deployment.stage import Stage, on_stage


@pytest.fixture(scope="module")
def stage(assembly: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with on_stage(assembly, tmp_path_factory.mktemp("deployment")) as stage:
        yield stage
