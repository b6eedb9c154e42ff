from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.documents.samples import write_samples


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Mapping[Path, str]:
    """One document of each kind, with the fact in it."""
    folder = tmp_path_factory.mktemp("samples")
    return {folder / name: fact for name, fact in write_samples(folder).items()}
