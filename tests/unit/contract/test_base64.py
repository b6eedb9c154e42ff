"""Strict base64 decoding."""

import base64 as reference

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.contract import base64
from tests.unit.contract.strategies import b64, many


@many
@given(st.binary(max_size=300), st.sampled_from(["", "data:image/png;base64,", "data:;BASE64,", " \n"]))
def test_decode_and_decoded_size_match_the_encoded_bytes(data: bytes, prefix: str) -> None:
    text = prefix + reference.encodebytes(data).decode()
    assert base64.decode(text) == data
    assert base64.validate(text) == base64.canonicalize(text)
    assert base64.decoded_size(base64.validate(text)) == len(data)


@pytest.mark.clause("v2:artifacts:b64")
@pytest.mark.parametrize("text", ["QUJ", "QUJDR", "QU=D", "QUJDRA==QUJD", "====", "=", "QU_D", "QU-D", "é", "QUJD\0"])
def test_invalid_base64_raises_an_error(text: str) -> None:
    for function in (base64.decode, base64.validate):
        with pytest.raises(base64.Base64Error, match=r"base64|padding"):
            function(text)


def test_decode_rejects_a_data_url_without_base64() -> None:
    with pytest.raises(base64.Base64Error, match="data: URL"):
        base64.decode("data:text/plain,hello")


def test_validate_checks_every_chunk_and_padding_between_chunks() -> None:
    long = b64(bytes(3_000_000))
    assert base64.decoded_size(base64.validate(long)) == 3_000_000
    with pytest.raises(base64.Base64Error):
        base64.validate(long[:-8] + "????" + long[-4:])
    with pytest.raises(base64.Base64Error):
        base64.validate("QUJDRA==" + long)
    with pytest.raises(base64.Base64Error):
        base64.validate("QUJD" * ((1 << 18) - 1) + "QQ==" + "QUJD")  # each chunk is valid on its own


def test_split_data_url_returns_the_mime_type_and_the_text() -> None:
    assert base64.split_data_url("data:image/png;base64,QUJD") == ("image/png", "QUJD")
    assert base64.split_data_url("QUJD") == (None, "QUJD")
