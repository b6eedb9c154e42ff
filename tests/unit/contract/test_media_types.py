"""MIME types, viewers and extensions."""

import pytest
from hypothesis import given

from satchel.contract import is_active, is_showable, mime_of, normalize_mime, viewer_for
from satchel.contract.media_types import UNKNOWN, extension_of
from tests.unit.contract.strategies import any_text, many


@pytest.mark.clause("v2.1:artifacts:mime-form")
@pytest.mark.parametrize(
    ("mime", "expected"),
    [
        ("text/html", "text/html"),
        ("Text/HTML; charset=utf-8", "text/html; charset=utf-8"),
        (" image/png ", "image/png"),
        ("application/vnd.bibliography", "application/vnd.bibliography"),
        ("image/svg+xml", "image/svg+xml"),
        ("png", UNKNOWN),
        ("", UNKNOWN),
        ("text/html\n", UNKNOWN),
        ("text/html;", UNKNOWN),
        ("a/b/c", UNKNOWN),
        ('text/plain; name="a\r\nb"', UNKNOWN),
    ],
)
def test_normalize_mime_replaces_malformed_types(mime: str, expected: str) -> None:
    assert normalize_mime(mime) == expected


@pytest.mark.parametrize(
    ("name", "mime"),
    [
        ("a.csv", "text/csv"),
        ("a.md", "text/markdown"),
        ("A.PNG", "image/png"),
        ("a.parquet", "application/vnd.apache.parquet"),
        ("a.tar.gz", "application/gzip"),
        ("a.json", "application/json"),
        ("a", UNKNOWN),
        ("data:text/html,a.zip", "application/zip"),
        ("C:a#b?c.pdf", "application/pdf"),
    ],
)
def test_mime_of_guesses_the_type_from_the_name(name: str, mime: str) -> None:
    assert mime_of(name) == mime


@many
@given(any_text, any_text)
def test_every_function_accepts_any_text(mime: str, name: str) -> None:
    assert "/" in mime_of(name)
    assert viewer_for(mime, name)
    assert isinstance(is_showable(mime, name), bool)
    assert isinstance(is_active(mime), bool)
    assert "/" in normalize_mime(mime)


@pytest.mark.clause(
    "v2:showable:images",
    "v2:showable:pdf",
    "v2:showable:html",
    "v2:showable:text",
    "v2:showable:extension",
    "v2.1:artifacts:viewer",
)
@pytest.mark.parametrize(
    ("mime", "name", "viewer", "showable"),
    [
        ("image/png", "a", "image", True),
        ("image/svg+xml", "a", "image", True),
        ("application/pdf", "a", "pdf", True),
        ("text/html; charset=utf-8", "a", "html", True),
        ("text/markdown", "a", "code", True),
        ("application/json", "a", "code", True),
        ("application/vnd.knowledge-graph", "a", "code", True),
        ("text/csv", "a", "data", True),
        ("application/vnd.apache.parquet", "a", "data", False),
        ("audio/wav", "a", "audio", False),
        ("application/zip", "a.zip", "auto", False),
        (UNKNOWN, "a.png", "image", True),
        (UNKNOWN, "a.py", "code", True),
        (UNKNOWN, "a", "auto", False),
        ("text/plain", "a.csv", "data", True),
        ("text/plain", "a", "code", True),
        ("image/png", "a.txt", "image", True),
    ],
)
def test_viewer_is_chosen_by_mime_type_then_by_name(mime: str, name: str, viewer: str, *, showable: bool) -> None:
    assert (viewer_for(mime, name), is_showable(mime, name)) == (viewer, showable)


@pytest.mark.clause("v2.1:artifacts:viewer")
@pytest.mark.parametrize(
    ("mime", "hints", "viewer"),
    [
        ("text/html", ["code"], "code"),
        ("text/html", ["auto"], "html"),
        ("text/html", ["hologram"], "html"),
        ("text/plain", ["html"], "html"),
        ("text/plain", ["HTML", "code"], "html"),
        ("text/plain", [None, "html"], "html"),
        ("text/plain", ["pdf", "html"], "html"),
        ("text/csv", ["code"], "code"),
        ("text/csv", ["html"], "data"),
        ("image/svg+xml", ["code"], "code"),
        ("image/png", ["html"], "image"),
        ("application/pdf", ["image"], "pdf"),
        ("application/octet-stream", ["pdf"], "pdf"),
    ],
)
def test_viewer_follows_the_first_hint_that_fits_the_file(mime: str, hints: list[str | None], viewer: str) -> None:
    assert viewer_for(mime, "a", hints) == viewer


@pytest.mark.clause("v2:html:not-run")
@pytest.mark.parametrize(
    "mime",
    [
        "text/html",
        "TEXT/HTML;charset=utf-8",
        "application/xhtml+xml",
        "image/svg+xml",
        "text/xml",
        "application/atom+xml",
        "text/javascript",
        "application/x-javascript",
        "application/ecmascript",
        "message/rfc822",
    ],
)
def test_types_that_a_browser_might_execute_are_active(mime: str) -> None:
    assert is_active(mime)


@pytest.mark.parametrize("mime", ["text/plain", "image/png", "application/pdf", "text/csv", "application/json", "odd"])
def test_types_that_a_browser_only_displays_are_not_active(mime: str) -> None:
    assert not is_active(mime)


def test_extension_of_returns_the_usual_extension() -> None:
    kinds = [
        "text/markdown",
        "image/jpeg",
        "application/vnd.bibliography",
        "application/geo+json",
        "text/plain",
        "odd/odd",
    ]
    assert [extension_of(kind, ".bin") for kind in kinds] == [".md", ".jpg", ".json", ".geojson", ".txt", ".bin"]
