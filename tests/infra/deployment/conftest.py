from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.infra.deployment.system import DeployedSystem, deploy


@pytest.fixture(scope="module")
def system(assembly: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeployedSystem]:
    with deploy(assembly, tmp_path_factory.mktemp("deployment")) as system:
        yield system
