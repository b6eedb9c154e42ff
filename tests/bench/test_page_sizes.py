"""Download sizes of the web client."""

import pytest

from local.emulator.http_gateway import BUILT
from tests.bench.page_sizes import FIRST, page_parts

MAX_FIRST_BYTES = 250_000


@pytest.mark.skipif(not (BUILT / "manifest.json").exists(), reason="the web client is not built")
def test_first_load_is_below_250_kb_and_viewers_load_later() -> None:
    first, *later = page_parts()

    assert first.name == FIRST
    assert first.gzip_size < MAX_FIRST_BYTES
    assert {path.suffix for path in first.files} == {".html", ".js", ".css"}
    assert later, "no part is loaded on demand"
