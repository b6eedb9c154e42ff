from collections.abc import Mapping
from pathlib import Path

import pytest

from functions.servers.documents.document_reader.errors import DocumentError
from functions.servers.documents.document_reader.kinds import Kind, detect_kind
from tests.documents.samples import FILES
from tests.unit.functions.servers.documents.helpers import outline, read, search

TEXTS = ["txt", "md", "csv", "tsv", "json", "xml", "html", "py", "eml", "ipynb"]
BINARY = ["pdf", "docx", "xlsx", "pptx", "odt", "epub", "parquet"]


@pytest.mark.parametrize("suffix", [*TEXTS, *BINARY, "zip"])
def test_fact_is_read_and_found_in_every_kind(samples: Mapping[Path, str], suffix: str) -> None:
    [(path, fact)] = [(path, fact) for path, fact in samples.items() if path.suffix == f".{suffix}"]
    sheet = {"sheet": "second"} if suffix == "xlsx" else {}

    assert fact in read(path, **sheet)
    assert fact in search(path, fact.upper(), **sheet)
    assert str(detect_kind(path)) in outline(path)


@pytest.mark.parametrize(
    ("name", "fact"),
    [
        ("excel.xlsx", "6ff4173b-42a5-4784-9b19-f49caff4d93d"),
        ("word.docx", "Testing Linked Images"),
        ("libreoffice.ods", "This workbook contains 4 sheets"),
        ("shift_jis.csv", "三木"),
    ],
)
def test_fact_is_read_in_files_of_other_programs(name: str, fact: str) -> None:
    assert fact in read(FILES / name)


@pytest.mark.parametrize("suffix", BINARY)
def test_kind_is_detected_by_bytes_if_the_name_is_wrong(
    samples: Mapping[Path, str], tmp_path: Path, suffix: str
) -> None:
    [path] = [path for path in samples if path.suffix == f".{suffix}"]
    wrong = tmp_path / "wrong.txt"
    wrong.write_bytes(path.read_bytes())

    assert detect_kind(wrong) is detect_kind(path)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"BM is how this text begins, which is no bitmap", Kind.TEXT),
        (b"  <!DOCTYPE html><p>x", Kind.HTML),
        (b"<?xml version='1.0'?><html><body/></html>", Kind.HTML),
        (b"<?xml version='1.0'?><svg/>", Kind.XML),
        (b"\xff\xfea\0b\0", Kind.TEXT),
        (b"a\0b\0c\0d\0", Kind.TEXT),
    ],
)
def test_kind_of_a_text_without_a_suffix(tmp_path: Path, content: bytes, kind: Kind) -> None:
    (tmp_path / "x").write_bytes(content)

    assert detect_kind(tmp_path / "x") is kind


def test_notebook_without_cells_is_json(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text("{}")

    assert detect_kind(tmp_path / "a.ipynb") is Kind.JSON


@pytest.mark.parametrize("content", [b"\0\1\2\3" * 100, b"\x7fELF\2\1\1\0" + bytes(50), bytes(1000)])
def test_unknown_kind_is_an_error_that_names_the_way_out(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.bin").write_bytes(content)

    with pytest.raises(DocumentError, match=r"E_UNKNOWN_KIND: x\.bin is a binary file.*bytes='0-255'"):
        read(tmp_path / "x.bin")
    assert content[:8].hex(" ") in read(tmp_path / "x.bin", bytes="0-15")


def test_missing_file_is_an_error() -> None:
    with pytest.raises(DocumentError, match=r"E_NOT_FOUND: there is no file 'missing\.txt'"):
        read(Path("/tmp/missing.txt"))


def test_picture_is_not_read_but_looked_at(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\x89PNG\r\n\x1a\n")

    with pytest.raises(DocumentError, match=r"E_IS_A_PICTURE: a\.txt is a picture without text; look shows it"):
        read(tmp_path / "a.txt")
