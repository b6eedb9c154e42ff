from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.accounts import SignInParts, sign_in_parts


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[SignInParts]:
    with sign_in_parts(tmp_path) as parts:
        yield parts
