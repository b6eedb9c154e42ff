"""Decoders of foreign text: their peak memory is at most four times the text, plus 16 MiB."""

import contextlib
import tracemalloc
from collections.abc import Callable

import pytest

from satchel.contract import base64, normalize, safe_name
from satchel.contract.media_types import is_mime, normalize_mime
from satchel.contract.model_view import strip_blobs
from satchel.domain.arguments import parse_or_text
from satchel.domain.prompt import sanitize
from satchel.domain.redaction import redact

MIB = 1 << 20
SIZE = MIB // 4
FIXED = 16 * MIB

DECODERS: dict[str, Callable[[str], object]] = {
    "decode": base64.decode,
    "validate": base64.validate,
    "split_data_url": base64.split_data_url,
    "safe_name": safe_name,
    "normalize_mime": normalize_mime,
    "is_mime": is_mime,
    "strip_blobs": strip_blobs,
    "parse_or_text": parse_or_text,
    "sanitize": sanitize,
    "redact": redact,
    "normalize_text": normalize,
    "normalize_b64": lambda text: normalize({"artifacts": [{"name": "a.bin", "mime": "image/png", "b64": text}]}),
}
BEGINNINGS = {
    "none": "",
    "data": "data:",
    "base64": "data:;base64,",
    "json": '{"a":"',
    "bearer": "bearer ",
    "url": "https://a/",
}
REPEATED = {
    "semicolon": ";",
    "letter": "A",
    "space": " ",
    "line": "\n",
    "quote": '"',
    "slash": "/",
    "padding": "=",
    "dot": ".",
}


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_peak_memory_is_at_most_four_times_the_text(decoder: str, beginning: str) -> None:
    for name, repeated in REPEATED.items():
        text = BEGINNINGS[beginning] + repeated * (SIZE // len(repeated))
        tracemalloc.start()
        try:
            with contextlib.suppress(ValueError):
                DECODERS[decoder](text)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak <= 4 * len(text) + FIXED, (name, peak // MIB)
