"""Safe file names."""

import base64
import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.contract import numbered_name, safe_name, split_extension
from tests.unit.contract.strategies import any_text, many

VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "vectors" / "filenames.json").read_text("utf-8"))
PIECES = [
    "/",
    "\\",
    "%2f",
    "%5C",
    "..",
    ".",
    " ",
    "C:",
    "CON",
    "con.",
    "aux",
    "-",
    "a",
    "é",
    "e\u0301",
    "\u200b",
    "\x00",
]
PIECES += [
    ".tar.gz",
    ".csv",
    "日" * 90,
    "x" * 250,
    "<",
    "\u202e",
    "\ud800",
    "%",
    "2",
    "f",
    "desktop.ini",
    "\u2215",
    "\u3000",
]
raw_names = any_text | st.binary() | st.lists(st.sampled_from(PIECES), max_size=8).map("".join)


def raw_name(vector: dict[str, Any]) -> str | bytes:
    raw: str | bytes = base64.b64decode(vector["raw_b64"]) if vector["raw"] is None else vector["raw"]
    return raw


@pytest.mark.clause(
    "v2.1:filenames:examples", "v2.1:filenames:traversal", "v2.1:filenames:absolute", "v2.1:filenames:control"
)
@pytest.mark.parametrize("vector", VECTORS, ids=range(len(VECTORS)))
def test_safe_name_matches_the_test_vectors(vector: dict[str, Any]) -> None:
    name = safe_name(raw_name(vector))
    assert (name, len(name.encode())) == (vector["expected"], vector["expected_bytes"])


@pytest.mark.clause("v2.1:filenames:traversal", "v2.1:filenames:control", "v2.1:filenames:length")
@many
@given(raw_names)
def test_safe_name_is_storable_for_any_input(raw: str | bytes) -> None:
    name = safe_name(raw)
    assert 1 <= len(name.encode()) <= 255
    assert name not in (".", "..")
    assert not name.startswith((".", "-", " "))
    assert not name.endswith((".", " "))
    assert not any(char in '/\\<>:"|?*' or unicodedata.category(char) in ("Cc", "Cf", "Cs") for char in name)
    assert unicodedata.is_normalized("NFC", name)


@many
@given(raw_names)
def test_safe_name_is_idempotent(raw: str | bytes) -> None:
    assert safe_name(safe_name(raw)) == safe_name(raw)


@pytest.mark.clause("v2.1:filenames:extension")
@many
@given(raw_names, st.integers(2, 10**6))
def test_numbered_name_is_safe_different_and_keeps_the_extension(raw: str | bytes, number: int) -> None:
    name = safe_name(raw)
    other = numbered_name(name, number)
    assert safe_name(other) == other != name
    assert other.endswith(f" ({number}){split_extension(name)[1]}")


def test_numbered_name_puts_the_number_before_the_extension() -> None:
    assert [numbered_name(name, 2) for name in ("a.csv", "a.tar.gz", "a", "v1.2 final")] == [
        "a (2).csv",
        "a (2).tar.gz",
        "a (2)",
        "v1.2 final (2)",
    ]
    assert numbered_name("a.csv", 1) == "a.csv"


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("a.csv", ("a", ".csv")),
        ("a.tar.gz", ("a", ".tar.gz")),
        (".csv", (".csv", "")),
        ("a." + "é" * 31, ("a", "." + "é" * 31)),  # 63 bytes, the maximum
        ("a.日" + "é" * 30, ("a.日" + "é" * 30, "")),  # 64 bytes
    ],
)
def test_extension_needs_a_stem_and_has_at_most_63_bytes(name: str, parts: tuple[str, str]) -> None:
    assert split_extension(name) == parts


@pytest.mark.clause("v2.1:filenames:length")
@pytest.mark.parametrize("length", [254, 255])
def test_name_within_the_length_limit_is_unchanged(length: int) -> None:
    assert safe_name("x" * length) == "x" * length


@pytest.mark.clause("v2.1:filenames:length")
def test_numbered_name_is_truncated_to_the_length_limit() -> None:
    assert numbered_name("x" * 251 + ".csv", 2) == "x" * 247 + " (2).csv"


@pytest.mark.clause("v2.1:filenames:traversal", "v2.1:filenames:absolute", "v2.1:filenames:system")
@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("a%2Fb.txt", "b.txt"),
        ("a%5cb.txt", "b.txt"),
        (" C:b.txt", "b.txt"),
        (".C:b.txt", "b.txt"),
        ("C:.b.txt", "b.txt"),
        ("%2\u200bfetc", "etc"),
        ("a\uff0fb.txt", "b.txt"),
        ("a\uff3cb.txt", "b.txt"),
        ("dir/report.pdf/", "report.pdf"),
        ("dir/..", "file"),
        ("nul.txt", "_nul.txt"),
        ("con.tar.gz", "_con.tar.gz"),
        ("aux .txt", "_aux .txt"),
        ("conX.txt", "conX.txt"),
        ("LPT¹.txt", "_LPT¹.txt"),
        ("Thumbs.db", "_Thumbs.db"),
        ("file.txt:stream", "file.txt_stream"),
        ("\u202egnp.exe", "gnp.exe"),
        ("--help", "_-help"),
        ("...", "file"),
        ("name...", "name"),
        ("100%.txt", "100%.txt"),
        ("\ud800.txt", "�.txt"),
    ],
)
def test_safe_name_defeats_known_tricks(raw: str, expected: str) -> None:
    assert safe_name(raw) == expected


@pytest.mark.clause("v2.1:filenames:length")
def test_long_names_that_differ_at_the_end_stay_different() -> None:
    assert safe_name("x" * 300 + "1.csv") != safe_name("x" * 300 + "2.csv")
