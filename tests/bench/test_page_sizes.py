"""The page is there quickly: what it loads first is small, and what is large is loaded when it is wanted."""

import pytest

from local.emulator.http_gateway import BUILT
from tests.bench.page_sizes import FIRST, parts

MAX_FIRST_BYTES = 250_000


@pytest.mark.skipif(not (BUILT / "manifest.json").exists(), reason="the web client is not built")
def test_the_first_load_is_under_250_kb() -> None:
    first, *later = parts()

    assert first.name == FIRST
    assert first.packed < MAX_FIRST_BYTES
    assert {path.suffix for path in first.files} == {".html", ".js", ".css"}
    assert later, "viewers come later"
