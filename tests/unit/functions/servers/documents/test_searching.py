import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from functions.servers.documents.document_reader import searching, utf8
from functions.servers.documents.document_reader.errors import DocumentError
from functions.servers.documents.document_reader.searching import MAX_MATCHES, Pattern, Position, search_text
from functions.servers.documents.document_reader.utf8 import Utf8Text
from tests.documents.pdf import write_pdf
from tests.unit.functions.servers.documents.helpers import body, continuation, ignore, search

FIXTURES = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def found_lines(path: Path, pattern: str, context: int, *, is_regex: bool = False) -> list[tuple[int, str, bool]]:
    """Search with all continuations, and return the lines of all answers."""
    after: Position | None = Position(0)
    lines = []
    while after is not None:
        compiled = Pattern(pattern, is_regex=is_regex, match_case=True)
        matches = search_text(Utf8Text(path, "utf-8"), compiled, context, after, ignore)
        lines += [(position.unit, text, is_match) for position, text, is_match in matches.lines]
        after = matches.after
    return lines


@FIXTURES
@given(
    text=st.text(st.sampled_from("abc\n"), max_size=80), pattern=st.sampled_from(["a", "^b", "c$", "^$", "ab+", "b*"])
)
def test_every_matching_line_is_found_once_across_blocks_and_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, pattern: str
) -> None:
    monkeypatch.setattr(utf8, "_BLOCK", 8)
    monkeypatch.setattr(searching, "MAX_MATCHES", 3)
    (tmp_path / "a.txt").write_text(text)
    lines = text.removesuffix("\n").split("\n") if text else []
    expected = [(number, line) for number, line in enumerate(lines, start=1) if re.search(pattern, line)]

    found = found_lines(tmp_path / "a.txt", pattern, 0, is_regex=True)

    assert [(number, line) for number, line, _ in found] == expected


@FIXTURES
@given(text=st.text(st.sampled_from("ab\n"), max_size=80), context=st.integers(1, 3))
def test_lines_around_each_match_are_shown_once_across_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, context: int
) -> None:
    monkeypatch.setattr(utf8, "_BLOCK", 8)
    (tmp_path / "a.txt").write_text(text)
    lines = text.removesuffix("\n").split("\n") if text else []
    matches = {number for number, line in enumerate(lines, start=1) if "a" in line}
    near = {n for match in matches for n in range(match - context, match + context + 1) if 1 <= n <= len(lines)}

    found = found_lines(tmp_path / "a.txt", "a", context)

    assert found == [(number, lines[number - 1], number in matches) for number in sorted(near)]


def test_answer_names_positions_and_continuation(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"row {number}\n" for number in range(1, 201)))

    first = search(tmp_path / "a.txt", "ROW")

    assert first.startswith(f"a.txt: text; {MAX_MATCHES} lines match 'ROW'\n\nline 1: row 1\nline 2: row 2\n")
    assert continuation(first) == {"pattern": "ROW", "after": "50"}
    second = search(tmp_path / "a.txt", "ROW", after="50")
    assert body(second).startswith("line 51: row 51\n")
    assert search(tmp_path / "a.txt", "ROW", after="150").endswith("[Searched to the end of the document]")


def test_match_on_a_page_is_found_with_page_and_line_and_continues_there(tmp_path: Path) -> None:
    write_pdf(tmp_path / "a.pdf", [f"Leaf {number}\nneedle" for number in range(1, 61)])

    first = search(tmp_path / "a.pdf", "needle")

    assert "page 1, line 3: needle\npage 2, line 3: needle\n" in first
    assert continuation(first) == {"pattern": "needle", "after": "50:3"}
    assert body(search(tmp_path / "a.pdf", "needle", after="50:3")).startswith("page 51, line 3: needle\n")


def test_match_in_a_long_line_is_shown_with_its_surroundings(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x" * 5000 + "needle" + "y" * 5000)

    [line] = [line for line in search(tmp_path / "a.txt", "needle").splitlines() if "line 1" in line]

    assert "x" * 100 + "needle" + "y" * 100 in line
    assert len(line) < 500


def test_case_is_ignored_unless_it_matters(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Größe\ngröße\n")

    assert "2 lines match" in search(tmp_path / "a.txt", "GRÖSSE".replace("SS", "ß"))
    assert "1 line matches" in search(tmp_path / "a.txt", "größe", match_case=True)


def test_text_is_not_a_regular_expression_unless_it_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a.c\nabc\n")

    assert "1 line matches" in search(tmp_path / "a.txt", "a.c")
    assert "2 lines match" in search(tmp_path / "a.txt", "a.c", regex=True)


def test_start_of_the_line_is_matched_by_every_anchor(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("b\na\n")

    assert "line 2: a" in search(tmp_path / "a.txt", r"\Aa\z", regex=True)
    assert "line 2: a" in search(tmp_path / "a.txt", r"^a$", regex=True)


def test_file_in_another_encoding_is_searched(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("eins\nGröße\n".encode("utf-16"))

    assert "line 2: Größe" in search(tmp_path / "a.txt", "größe")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pattern": "(", "regex": True}, r"E_BAD_PATTERN: '\(' is not a regular expression of RE2"),
        ({"pattern": r"(?=a)", "regex": True}, "E_BAD_PATTERN"),
        ({"pattern": ""}, "E_BAD_PATTERN: the pattern must have 1 to 1000 bytes"),
        ({"pattern": "x" * 1001}, "E_BAD_PATTERN: the pattern must have 1 to 1000 bytes"),
        ({"pattern": "x", "after": "y"}, "E_BAD_RANGE: after='y' is not a position"),
    ],
)
def test_bad_pattern_is_an_error(tmp_path: Path, arguments: dict[str, Any], message: str) -> None:
    (tmp_path / "a.txt").write_text("a")

    with pytest.raises(DocumentError, match=message):
        search(tmp_path / "a.txt", **arguments)


def test_pattern_that_is_exponential_elsewhere_takes_linear_time(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a" * 50_000 + "\n")
    started = time.process_time()

    answer = search(tmp_path / "a.txt", "(a+)+b", regex=True)

    assert "0 lines match" in answer
    assert time.process_time() - started < 5
