"""Base64 is decoded strictly."""

import base64 as reference

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.contract import base64
from tests.unit.contract.strategies import b64, many


@many
@given(st.binary(max_size=300), st.sampled_from(["", "data:image/png;base64,", "data:;BASE64,", " \n"]))
def test_what_was_encoded_is_decoded_and_measured(data: bytes, prefix: str) -> None:
    wrapped = prefix + reference.encodebytes(data).decode()
    assert base64.decode(wrapped) == data
    assert base64.check(wrapped) == base64.decoded_size(base64.canonical(wrapped)) == len(data)


@pytest.mark.clause("v2:artifacts:b64")
@pytest.mark.parametrize("wrong", ["QUJ", "QUJDR", "QU=D", "QUJDRA==QUJD", "====", "=", "QU_D", "QU-D", "é", "QUJD\0"])
def test_what_is_not_base64_is_an_error(wrong: str) -> None:
    for read in (base64.decode, base64.check):
        with pytest.raises(base64.Base64Error, match=r"base64|padding"):
            read(wrong)


def test_a_data_url_of_other_encoding_is_an_error() -> None:
    with pytest.raises(base64.Base64Error, match="data: URL"):
        base64.decode("data:text/plain,hello")


def test_checking_reads_past_the_first_chunk() -> None:
    long = b64(bytes(3_000_000))
    assert base64.check(long) == 3_000_000
    with pytest.raises(base64.Base64Error):
        base64.check(long[:-8] + "????" + long[-4:])
    with pytest.raises(base64.Base64Error):
        base64.check("QUJDRA==" + long)
    with pytest.raises(base64.Base64Error):
        base64.check("QUJD" * ((1 << 18) - 1) + "QQ==" + "QUJD")  # each chunk by itself would do


def test_the_mime_type_of_a_data_url_can_be_read() -> None:
    assert base64.split_data_url("data:image/png;base64,QUJD") == ("image/png", "QUJD")
    assert base64.split_data_url("QUJD") == (None, "QUJD")
