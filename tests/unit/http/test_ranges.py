import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.domain.errors import Unsatisfiable
from satchel.entrypoints.http.http_semantics import requested_range


@pytest.mark.parametrize(
    ("header", "size", "asked"),
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
def test_one_range_of_bytes_is_understood_and_all_else_is_the_whole(
    header: str | None, size: int, asked: tuple[int, int] | None
) -> None:
    assert requested_range(header, size) == asked


@pytest.mark.parametrize(
    ("header", "size"),
    [("bytes=10-", 10), ("bytes=10-20", 10), ("bytes=-0", 10), ("bytes=0-", 0), ("bytes=-5", 0), ("bytes=0-0", 0)],
)
def test_what_begins_behind_the_end_is_refused_with_the_size(header: str, size: int) -> None:
    with pytest.raises(Unsatisfiable) as refused:
        requested_range(header, size)

    assert (refused.value.code, refused.value.details) == ("E_RANGE", {"size": size})


@given(first=st.integers(0, 50), more=st.integers(0, 50), behind=st.integers(1, 40))
def test_a_part_is_never_empty_and_never_outside(first: int, more: int, behind: int) -> None:
    last, size = first + more, first + behind

    asked = requested_range(f"bytes={first}-{last}", size)

    assert asked == (first, min(last, size - 1))
    assert bytes(size)[asked[0] : asked[1] + 1]
