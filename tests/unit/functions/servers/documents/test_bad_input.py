import io
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from functions.servers.documents.document_reader import archive, markup
from functions.servers.documents.document_reader.child import attempt
from functions.servers.documents.document_reader.errors import DocumentError
from tests.documents.pdf import write_pdf
from tests.documents.samples import FILES, write_docx, write_odt, write_zip
from tests.unit.functions.servers.documents.helpers import body, ignore, outline, read, search

BINARY = ["pdf", "docx", "xlsx", "pptx", "odt", "epub", "parquet", "zip"]
FIXTURES = settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])


def sample(samples: Mapping[Path, str], suffix: str) -> Path:
    [path] = [path for path in samples if path.suffix == f".{suffix}"]
    return path


@pytest.mark.parametrize("suffix", BINARY)
@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_truncated_file_is_damaged_or_read_in_part(
    samples: Mapping[Path, str], tmp_path: Path, suffix: str, share: float
) -> None:
    content = sample(samples, suffix).read_bytes()
    (tmp_path / "cut").write_bytes(content[: int(len(content) * share)])

    outcome = attempt(lambda _report: {"text": read(tmp_path / "cut")}, ignore)

    assert outcome.get("code") == "E_DAMAGED" or (suffix == "pdf" and "PDF document; page" in str(outcome))


@pytest.mark.parametrize("suffix", ["txt", "csv", "json", "xml", "html", "eml", "ipynb"])
def test_truncated_text_is_read_as_far_as_it_goes(samples: Mapping[Path, str], tmp_path: Path, suffix: str) -> None:
    content = sample(samples, suffix).read_bytes()
    (tmp_path / f"cut.{suffix}").write_bytes(content[: len(content) * 2 // 3])

    assert body(read(tmp_path / f"cut.{suffix}"))


@pytest.mark.parametrize("name", ["a.txt", "a.pdf", "a.xlsx", "a.csv"])
@pytest.mark.parametrize("call", [read, outline, lambda path: search(path, "x")])
def test_empty_file_is_an_error_of_its_own(tmp_path: Path, name: str, call: Callable[[Path], str]) -> None:
    (tmp_path / name).touch()

    with pytest.raises(DocumentError, match=f"E_EMPTY: {name} is empty: it has 0 bytes"):
        call(tmp_path / name)


def test_encrypted_workbook_is_an_error_of_its_own() -> None:
    with pytest.raises(DocumentError, match=r"E_ENCRYPTED: password\.xlsx is encrypted; ask the user for a copy"):
        read(FILES / "password.xlsx")


def test_encrypted_pdf_is_an_error_of_its_own(tmp_path: Path) -> None:
    write_pdf(tmp_path / "a.pdf", ["secret"])
    encryption = f"/Encrypt << /Filter /Standard /V 1 /R 2 /O ({'x' * 32}) /U ({'y' * 32}) /P -4 >> /ID [(a) (a)]"
    content = (tmp_path / "a.pdf").read_bytes().replace(b"/Root 1 0 R", f"/Root 1 0 R {encryption}".encode())
    (tmp_path / "a.pdf").write_bytes(content)

    with pytest.raises(DocumentError, match="E_ENCRYPTED: the PDF is encrypted; ask the user for a copy"):
        read(tmp_path / "a.pdf")


def test_encrypted_odt_is_an_error_of_its_own(tmp_path: Path) -> None:
    write_odt(tmp_path / "a.odt", "secret")
    with zipfile.ZipFile(tmp_path / "a.odt") as source:
        members = {name: source.read(name).decode() for name in source.namelist()}
    entry = '<manifest:encryption-data manifest:checksum="x"/></manifest:manifest>'
    members["META-INF/manifest.xml"] = members["META-INF/manifest.xml"].replace("</manifest:manifest>", entry)
    write_zip(tmp_path / "a.odt", members)

    with pytest.raises(DocumentError, match="E_ENCRYPTED: the document is encrypted"):
        read(tmp_path / "a.odt")


@pytest.mark.parametrize("name", ["word/document.xml", "xl/workbook.xml", "ppt/presentation.xml"])
def test_archive_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, name: str) -> None:
    write_zip(tmp_path / "bomb.docx", {"[Content_Types].xml": "", name: "0" * (32 << 20)})

    with pytest.raises(DocumentError, match=r"E_TOO_LARGE: the file unpacks to 33,554,432 bytes, \d+ times its size"):
        read(tmp_path / "bomb.docx")


def test_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_UNPACKED_BYTES", 100)
    write_docx(tmp_path / "a.docx", "text")

    with pytest.raises(DocumentError, match="E_TOO_LARGE: the file unpacks to"):
        read(tmp_path / "a.docx")


def test_list_of_a_bomb_is_read_without_unpacking_it(tmp_path: Path) -> None:
    write_zip(tmp_path / "bomb.zip", {"zeros.txt": "0" * (32 << 20)})

    assert "33,554,432" in read(tmp_path / "bomb.zip")


def test_archive_with_too_many_members_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_MEMBERS", 2)
    write_zip(tmp_path / "a.zip", {"a": "", "b": "", "c": ""})

    with pytest.raises(DocumentError, match="E_TOO_LARGE: the archive has more than 2 members"):
        read(tmp_path / "a.zip")


def test_entities_of_xml_are_shown_and_never_replaced(tmp_path: Path) -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    secret = f'<!ENTITY s SYSTEM "file://{tmp_path}/secret">'
    (tmp_path / "secret").write_text("4711")
    (tmp_path / "a.xml").write_text(
        f"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY l0 'ha'>{laughs}{secret}]><a>&l9;&s;</a>"
    )

    assert "&l9;&s;" in read(tmp_path / "a.xml")
    assert "4711" not in outline(tmp_path / "a.xml")


@pytest.mark.parametrize("member", ["word/document.xml", "word/styles.xml"])
def test_entities_of_a_word_document_are_not_replaced(tmp_path: Path, member: str) -> None:
    (tmp_path / "secret").write_text("4711")
    write_docx(tmp_path / "a.docx", "&s;")
    with zipfile.ZipFile(tmp_path / "a.docx") as source:
        members = {name: source.read(name).decode() for name in source.namelist()}
    members[member] = f'<!DOCTYPE x [<!ENTITY s SYSTEM "file://{tmp_path}/secret">]>' + members[member]
    write_zip(tmp_path / "a.docx", members)

    outcome = attempt(lambda _report: {"text": read(tmp_path / "a.docx")}, ignore)

    assert "4711" not in str(outcome)


def test_deeply_nested_page_is_converted(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<!doctype html>" + "<div>" * 20_000 + "deep" + "</div>" * 20_000)

    assert "E_" not in read(tmp_path / "a.html")


def test_deeply_nested_json_has_no_outline_but_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[" * 100_000)

    assert "not valid JSON" in outline(tmp_path / "a.json")
    assert read(tmp_path / "a.json")


def test_page_that_is_too_large_is_read_by_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markup, "_MAX_HTML_BYTES", 10)
    (tmp_path / "a.html").write_text("<!doctype html><p>text")

    with pytest.raises(DocumentError, match="E_TOO_LARGE: the page is larger than 0 MB; read it by bytes"):
        read(tmp_path / "a.html")
    assert "<p>text" in read(tmp_path / "a.html", bytes="0-")


def test_embedded_pictures_of_a_page_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(f'<!doctype html><img alt="x" src="data:image/png;base64,{"A" * 5000}"><p>text')

    assert len(read(tmp_path / "a.html")) < 200


@pytest.mark.parametrize("cells", [[None], [{"cell_type": "code", "source": None, "outputs": [1]}], [{}]])
def test_notebook_with_odd_cells_is_read(tmp_path: Path, cells: list[object]) -> None:
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": [{"source": "first"}, *cells]}))

    assert "[cell 1]\nfirst" in read(tmp_path / "a.ipynb")


def test_email_with_an_unknown_encoding_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(b"Subject: =?nope?q?x?=\r\nContent-Type: text/plain; charset=nope\r\n\r\ntext\xff")

    assert "text" in body(read(tmp_path / "a.eml"))


@FIXTURES
@given(data=st.data(), suffix=st.sampled_from(["pdf", "xlsx", "epub", "zip", "eml"]))
def test_file_with_changed_bytes_is_read_or_refused(
    samples: Mapping[Path, str], tmp_path: Path, data: st.DataObject, suffix: str
) -> None:
    content = io.BytesIO(sample(samples, suffix).read_bytes())
    for _ in range(data.draw(st.integers(1, 5))):
        content.seek(data.draw(st.integers(0, content.getbuffer().nbytes - 1)))
        content.write(data.draw(st.binary(min_size=1, max_size=4)))
    (tmp_path / f"odd.{suffix}").write_bytes(content.getvalue())

    outcome = attempt(lambda _report: {"text": read(tmp_path / f"odd.{suffix}")}, ignore)

    assert "result" in outcome or outcome["code"].startswith("E_")
