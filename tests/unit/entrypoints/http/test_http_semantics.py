from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.contract import safe_name
from satchel.domain.errors import RangeNotSatisfiable
from satchel.entrypoints.http.http_semantics import content_disposition, requested_range


@pytest.mark.parametrize(
    ("header", "size", "expected"),
    [
        (None, 10, None),
        ("", 10, None),
        ("bytes=0-0", 10, (0, 0)),
        ("bytes=0-9", 10, (0, 9)),
        ("bytes=0-10", 10, (0, 9)),
        ("bytes=9-", 10, (9, 9)),
        ("bytes=-1", 10, (9, 9)),
        ("bytes=-10", 10, (0, 9)),
        ("bytes=-11", 10, (0, 9)),
        (" bytes=1-2 ", 10, (1, 2)),
        ("bytes=007-008", 10, (7, 8)),
        ("bytes=2-1", 10, None),
        ("bytes=12-11", 10, None),
        ("bytes=-", 10, None),
        ("bytes=", 10, None),
        ("bytes=1-2,4-5", 10, None),
        ("bytes=1 - 2", 10, None),
        ("bytes=+1-2", 10, None),
        ("bytes=1-2x", 10, None),
        ("bytes=\u0661-\u0662", 10, None),
        ("bytes=0-9999999999999999999", 10, None),
        ("items=1-2", 10, None),
        ("bytes=1-2\n", 10, (1, 2)),
        ("bytes=" + "9" * 5000 + "-", 10, None),
    ],
)
def test_single_byte_range_is_parsed_and_any_other_header_gives_the_whole_file(
    header: str | None, size: int, expected: tuple[int, int] | None
) -> None:
    assert requested_range(header, size) == expected


@pytest.mark.parametrize(
    ("header", "size"),
    [("bytes=10-", 10), ("bytes=10-20", 10), ("bytes=-0", 10), ("bytes=0-", 0), ("bytes=-5", 0), ("bytes=0-0", 0)],
)
def test_range_after_the_end_raises_an_error_with_the_size(header: str, size: int) -> None:
    with pytest.raises(RangeNotSatisfiable) as error:
        requested_range(header, size)

    assert (error.value.code, error.value.details) == ("E_RANGE", {"size": size})


@given(first=st.integers(0, 50), extra=st.integers(0, 50), remaining=st.integers(1, 40))
def test_range_is_never_empty_and_never_exceeds_the_file(first: int, extra: int, remaining: int) -> None:
    last, size = first + extra, first + remaining

    byte_range = requested_range(f"bytes={first}-{last}", size)

    assert byte_range == (first, min(last, size - 1))
    assert bytes(size)[byte_range[0] : byte_range[1] + 1]


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("a.csv", "attachment; filename=\"a.csv\"; filename*=UTF-8''a.csv"),
        ("my file.csv", "attachment; filename=\"my file.csv\"; filename*=UTF-8''my%20file.csv"),
        ("größe.csv", "attachment; filename=\"gr__e.csv\"; filename*=UTF-8''gr%C3%B6%C3%9Fe.csv"),
        ('a"b\\c%d.csv', "attachment; filename=\"a_b_c_d.csv\"; filename*=UTF-8''a%22b%5Cc%25d.csv"),
        ("a\r\nX: y", "attachment; filename=\"a__X: y\"; filename*=UTF-8''a%0D%0AX%3A%20y"),
        ("\U0001f4c8", "attachment; filename=\"_\"; filename*=UTF-8''%F0%9F%93%88"),
        ("a'b;c", "attachment; filename=\"a'b;c\"; filename*=UTF-8''a%27b%3Bc"),
    ],
)
def test_header_has_an_ascii_fallback_and_the_utf8_name(name: str, header: str) -> None:
    assert content_disposition(name, inline=False) == header


def test_inline_file_has_the_type_inline() -> None:
    assert content_disposition("a.png", inline=True) == "inline; filename=\"a.png\"; filename*=UTF-8''a.png"


@given(raw=st.text())
def test_any_safe_name_gives_a_printable_header_and_survives_a_round_trip(raw: str) -> None:
    name = safe_name(raw)

    header = content_disposition(name, inline=False)

    assert header.isascii()
    assert header.isprintable()
    assert header.count('"') == 2
    assert unquote(header.partition("filename*=UTF-8''")[2]) == name
