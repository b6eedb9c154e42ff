from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from functions.servers.documents.document_reader import utf8
from functions.servers.documents.document_reader.utf8 import Utf8Text, count_lines, detect_encoding, split_lines

TEXTS = st.text(st.sampled_from("ab\nß漢😀 "), max_size=60)
FIXTURES = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def short_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(utf8, "LINE_BYTES", 8)
    monkeypatch.setattr(utf8, "_BLOCK", 24)


@FIXTURES
@given(text=TEXTS)
def test_lines_of_any_length_are_the_whole_text(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_text(text, encoding="utf-8", newline="")

    assert "".join(Utf8Text(tmp_path / "a.txt", "utf-8").lines()) == text


@FIXTURES
@given(text=TEXTS, first=st.integers(1, 40))
def test_lines_from_a_number_on_are_the_end_of_all_lines(tmp_path: Path, text: str, first: int) -> None:
    (tmp_path / "a.txt").write_text(text, encoding="utf-8", newline="")
    lines = Utf8Text(tmp_path / "a.txt", "utf-8").lines

    assert list(lines(first)) == list(lines())[first - 1 :]


@FIXTURES
@given(text=TEXTS)
def test_lines_are_counted_as_they_are_split(text: str) -> None:
    assert count_lines(text.encode()) == len(list(split_lines(text.encode())))


@FIXTURES
@given(text=TEXTS)
def test_blocks_have_the_same_lines_as_the_whole_text(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_text(text, encoding="utf-8", newline="")
    blocks = Utf8Text(tmp_path / "a.txt", "utf-8").blocks()

    assert [line for block in blocks for line in split_lines(block)] == list(split_lines(text.encode()))


@pytest.mark.parametrize(
    ("encoding", "detected"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("utf-32", "utf-32"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
    ],
)
def test_unicode_encodings_are_detected_and_read(tmp_path: Path, encoding: str, detected: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Größe: 5 €\r\nnext\n", encoding=encoding, newline="")

    assert detect_encoding(path) == detected
    assert "".join(Utf8Text(path, detected).lines()) == "Größe: 5 €\nnext\n"


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "Die Größe der Fläche beträgt 5 € im Übermaß. " * 3),
        ("cp1252", "café"),
        ("cp1251", "Съешь же ещё этих мягких французских булок да выпей чаю. " * 4),
        ("shift_jis", "日本語のテキストファイルを読みます。これは試験です。\n" * 4),
    ],
)
def test_other_encodings_are_guessed_from_the_text(tmp_path: Path, encoding: str, text: str) -> None:
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    detected = detect_encoding(tmp_path / "a.txt")

    assert detected is not None
    assert text.encode(encoding).decode(detected) == text


def test_encoding_is_judged_by_bytes_that_are_not_ascii_even_if_they_come_late(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"plain line\n" * 20_000 + "Die Größe der Fläche".encode("cp1252"))

    assert "".join(Utf8Text(path, str(detect_encoding(path))).lines()).endswith("Größe der Fläche")


def test_file_with_many_control_characters_is_not_a_text(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(range(1, 32)) * 10)

    assert detect_encoding(tmp_path / "a") is None
