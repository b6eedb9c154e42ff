"""Rules of the language check."""

from pathlib import Path

import pytest

from tests.language import vocabulary
from tests.language.vocabulary import MAX_TEST_NAME, Finding, check, default_paths, find


def problems(folder: Path, text: str, name: str = "module.py") -> list[str]:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return [finding.problem for finding in check(file)]


@pytest.mark.parametrize("word", ["Who", "What", "Whose", "Where", "Which", "Of", "Whether", "That", "How", "Why"])
@pytest.mark.parametrize(
    "text", ['"""{} came."""', 'class A:\n    """{} came."""', 'async def a():\n    """\n    {} came.\n    """']
)
def test_docstring_that_opens_with_a_banned_word_is_found(word: str, text: str, tmp_path: Path) -> None:
    assert problems(tmp_path, text.format(word)) == [f"docstring opens with {word!r}"]


@pytest.mark.parametrize("docstring", ["Return what came.", "Offsets of parts.", "Whole files.", "Thatched roofs."])
def test_docstring_that_opens_with_another_word_is_not_found(docstring: str, tmp_path: Path) -> None:
    assert problems(tmp_path, f'"""{docstring}"""') == []


@pytest.mark.parametrize(
    "phrase",
    [
        "nobody",
        "Somebody",
        "everybody",
        "anybody",
        "whoever",
        "of ours",
        "none is",
        "none of ours",
        "is told",
        "was said",
        "being asked",
        "stands for",
        "stand for",
    ],
)
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("# a {} b", "module.py"),
        ('def a():\n    """Return a {} b."""', "module.py"),
        ("a {} b", "page.md"),
        ("// a {} b", "page.tsx"),
        ("# a {} b", "Makefile"),
    ],
)
def test_banned_phrase_is_found(phrase: str, text: str, name: str, tmp_path: Path) -> None:
    assert problems(tmp_path, text.format(phrase), name) == [f"phrase {phrase!r}"]


@pytest.mark.parametrize("text", ["# no one", "# of hours", "# none isolated", "# he told", "# stands forward"])
def test_similar_phrase_is_not_found(text: str, tmp_path: Path) -> None:
    assert problems(tmp_path, text) == []


def test_phrase_in_a_string_is_not_found(tmp_path: Path) -> None:
    assert problems(tmp_path, 'print("nobody")') == []


@pytest.mark.parametrize(("text", "problem"), [("# (spec 3 §4)", "spec 3"), ("# DESIGN: HTTP API", "DESIGN:")])
def test_citation_of_an_external_document_is_found(text: str, problem: str, tmp_path: Path) -> None:
    assert problems(tmp_path, text) == [f"citation {problem!r}"]


@pytest.mark.parametrize("text", ["# clause v2.1:timeout:notice-15s", "# RFC 7518 §3.2", "# by design: no"])
def test_other_citation_is_not_found(text: str, tmp_path: Path) -> None:
    assert problems(tmp_path, text) == []


@pytest.mark.parametrize("word", ["behaviour", "Colours", "normalised", "synthesises", "licence", "analysing"])
def test_british_spelling_is_found(word: str, tmp_path: Path) -> None:
    assert problems(tmp_path, f"a {word}", "page.md") == [f"British spelling {word!r}"]


@pytest.mark.parametrize("text", ["behavior", "normalized", "analysis", "v2.1:input:normalised", "a.colour", "promise"])
def test_american_spelling_and_part_of_an_id_are_not_found(text: str, tmp_path: Path) -> None:
    assert problems(tmp_path, text, "page.md") == []


@pytest.mark.parametrize(
    "text",
    [
        "{} = 1",
        "a.{} = 1",
        "for {} in []: ...",
        "def {}(): ...",
        "class {}: ...",
        "lambda {}: 1",
        "def a(*, {}): ...",
    ],
)
@pytest.mark.parametrize("name", ["corner", "_told", "KEPT", "GoingFiles"])
def test_definition_of_an_old_name_is_found(text: str, name: str, tmp_path: Path) -> None:
    assert problems(tmp_path, text.format(name)) == [f"name {name!r}"]


@pytest.mark.parametrize("text", ["import corner", "print(corner)", "corner.a = 1", "corners_cut = 1", "a = 'told'"])
def test_use_of_an_old_name_and_similar_name_are_not_found(text: str, tmp_path: Path) -> None:
    assert problems(tmp_path, text) == []


@pytest.mark.parametrize("name", ["most_bytes", "_MOST_BYTES", "at_most_bytes"])
def test_most_in_a_name_is_found(name: str, tmp_path: Path) -> None:
    assert problems(tmp_path, f"{name} = 1") == [f"name {name!r}: write max_"]


@pytest.mark.parametrize("text", ["utmost_care = 1", "most = 1", "def test_lists_at_most_three_names(): ..."])
def test_most_in_another_place_is_not_found(text: str, tmp_path: Path) -> None:
    assert problems(tmp_path, text) == []


@pytest.mark.parametrize(("length", "is_found"), [(MAX_TEST_NAME, False), (MAX_TEST_NAME + 1, True)])
def test_long_test_name_is_found(length: int, is_found: bool, tmp_path: Path) -> None:  # noqa: FBT001  (an expectation)
    name = "test_".ljust(length, "a")

    assert bool(problems(tmp_path, f"def {name}(): ...")) is is_found


def test_findings_have_path_and_line_and_are_sorted(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text('kept = 1\n\n\ndef a():\n    """Return.\n\n    Nobody.\n    """\n', encoding="utf-8")
    (tmp_path / "a.md").write_text("\nnobody\n", encoding="utf-8")
    (tmp_path / "types.d.ts").write_text("// nobody", encoding="utf-8")
    a, b = str(tmp_path / "a.md"), str(tmp_path / "b.py")

    findings = find([tmp_path])

    assert findings == [
        Finding(a, 2, "phrase 'nobody'"),
        Finding(b, 1, "name 'kept'"),
        Finding(b, 7, "phrase 'Nobody'"),
    ]
    assert str(findings[0]) == f"{a}:2: phrase 'nobody'"


def test_path_of_a_finding_is_relative_to_the_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "ROOT", tmp_path)
    (tmp_path / "a.md").write_text("nobody", encoding="utf-8")

    assert [finding.path for finding in find([tmp_path])] == ["a.md"]


def test_default_paths_exist() -> None:
    assert [path for path in default_paths() if not path.exists()] == []
