"""Decoders of foreign text: their peak memory is at most four times the text, plus a constant.

The constant is smaller than the 16 MiB that a function can spare, so that short texts, which take less time, show the
same ratio.
"""

import asyncio
import contextlib
import tracemalloc
from collections.abc import Callable
from functools import partial

import pytest
from mcp_types import jsonrpc_message_adapter
from starlette.formparsers import MultiPartException
from starlette.requests import Request

from satchel.adapters.dynamodb.items import from_cursor
from satchel.adapters.json_schema import JsonSchemaChecker
from satchel.adapters.jwt_signer import JwtSigner
from satchel.adapters.signing_keys import SigningKeys
from satchel.contract import base64, normalize, safe_name
from satchel.contract.media_types import is_mime, normalize_mime
from satchel.contract.model_view import strip_blobs
from satchel.contract.tokens import has_file_link, redact_jwts, scrub_text
from satchel.domain.arguments import parse_or_text
from satchel.domain.canvas import is_canvas_id, origin_of
from satchel.domain.errors import SatchelError
from satchel.domain.file_metadata import READERS, read_file_metadata
from satchel.domain.prompt import sanitize
from satchel.domain.redaction import redact
from satchel.entrypoints.http.http_semantics import is_unchanged, requested_range
from satchel.entrypoints.http.long_polling import preferred_wait
from satchel.entrypoints.websocket import parse_message
from tests.fakes.system import FakeClock
from tests.unit.domain.sample_files import reader_for

MIB = 1 << 20
SIZE = MIB // 16
FIXED = 4 * MIB

KEYS = SigningKeys(newest="k1", keys={"k1": "x" * 64})
BOUNDARY = "b"


def read_form(text: str) -> object:
    """Parse a form with this text as its file and as the file's name, as the API does."""
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{text[:500]}"\r\n\r\n'
    body = f"{head}{text}\r\n--{BOUNDARY}--\r\n".encode()

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def read() -> object:
        content_type = f"multipart/form-data; boundary={BOUNDARY}".encode()
        request = Request({"type": "http", "method": "POST", "headers": [(b"content-type", content_type)]}, receive)
        async with request.form(max_files=1, max_fields=10) as form:
            return form

    return asyncio.run(read())


def read_metadata(mime: str, text: str) -> object:
    return read_file_metadata(reader_for(text.encode()), mime, "")


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
FRAMED_DECODERS: dict[str, Callable[[str], object]] = {
    "scrub_text": scrub_text,
    "redact_jwts": redact_jwts,
    "has_file_link": has_file_link,
    "origin_of": origin_of,
    "is_canvas_id": is_canvas_id,
    "requested_range": lambda text: requested_range(text, SIZE),
    "is_unchanged": lambda text: is_unchanged(text, '"etag"'),
    "preferred_wait": preferred_wait,
    "cursor": lambda text: from_cursor(text, "FILE#"),
    "token": lambda text: JwtSigner(lambda: KEYS, FakeClock()).verify(text, ("ui",)),
    "websocket_message": parse_message,
    "mcp_message": jsonrpc_message_adapter.validate_json,
    "form": read_form,
    "schema": lambda text: JsonSchemaChecker().find_problems({"properties": {"a": {"const": text}}}, {"a": [text]}),
    "schema_pattern": lambda text: JsonSchemaChecker().find_problems({"pattern": text, "type": text}, {"a": text}),
    **{f"metadata of {mime}": partial(read_metadata, mime) for mime in READERS},
    "metadata of image/png": partial(read_metadata, "image/png"),
    "metadata of text/plain": partial(read_metadata, "text/plain"),
    "normalize_content": lambda text: normalize({"content": [{"type": "text", "text": text}]}),
}
BEGINNINGS = {
    "none": "",
    "data": "data:",
    "base64": "data:;base64,",
    "json": '{"a":"',
    "bearer": "bearer ",
    "url": "https://a/",
}
FRAMES = {
    "none": "",
    "list": "[",
    "range": "bytes=",
    "token": "eyJhbGciOiJIUzI1NiJ9.",
    "pdf": "%PDF-1.7 /N ",
    "zip": "PK\3\4",
    "png": "\x89PNG\r\n\x1a\n",
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
    "comma": "0,",
    "bracket": "[",
    "brace": "{}",
}


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_peak_memory_is_at_most_four_times_the_text(decoder: str, beginning: str) -> None:
    check_peak(DECODERS[decoder], BEGINNINGS[beginning])


@pytest.mark.parametrize("decoder", FRAMED_DECODERS)
def test_peak_memory_of_a_decoder_of_frames_is_at_most_four_times_the_text(decoder: str) -> None:
    for beginning in FRAMES.values():
        check_peak(FRAMED_DECODERS[decoder], beginning)


def check_peak(decode: Callable[[str], object], beginning: str) -> None:
    for name, repeated in REPEATED.items():
        text = beginning + repeated * (SIZE // len(repeated))
        tracemalloc.start()
        try:
            with contextlib.suppress(ValueError, RecursionError, SatchelError, MultiPartException):
                decode(text)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak <= 4 * len(text) + FIXED, (name, peak // MIB)
