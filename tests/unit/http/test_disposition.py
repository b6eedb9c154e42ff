from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.contract import safe_name
from satchel.entrypoints.http.http_semantics import content_disposition


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
def test_a_name_stands_in_both_forms(name: str, header: str) -> None:
    assert content_disposition(name, inline=False) == header


def test_what_may_be_shown_is_inline() -> None:
    assert content_disposition("a.png", inline=True) == "inline; filename=\"a.png\"; filename*=UTF-8''a.png"


@given(raw=st.text())
def test_any_stored_name_makes_one_clean_header_and_comes_back(raw: str) -> None:
    name = safe_name(raw)

    header = content_disposition(name, inline=False)

    assert header.isascii()
    assert header.isprintable()
    assert header.count('"') == 2
    assert unquote(header.partition("filename*=UTF-8''")[2]) == name
