import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from antlr4 import CommonTokenStream  # type: ignore[import-untyped]  # it has no types
from jsonpath_ng.lexer import JsonPathLexer
from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser, ASLParserException
from moto.stepfunctions.parser.asl.utils.json_path import NoSuchJsonPathError, extract_json

MACHINE = {"StartAt": "Only", "States": {"Only": {"Type": "Pass", "Comment": "parsed once", "End": True}}}


def noting(monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> list[object]:
    """Return what a method is called with from now on."""
    calls: list[object] = []
    original = getattr(owner, name)

    def note(*given: object) -> object:
        calls.append(given)
        return original(*given)

    monkeypatch.setattr(owner, name, note)
    return calls


@pytest.mark.usefixtures("cloud")
def test_a_definition_is_read_once_and_each_execution_has_components_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = noting(monkeypatch, CommonTokenStream, "__init__")

    first, tree = AmazonStateLanguageParser.parse(json.dumps(MACHINE))
    second, again = AmazonStateLanguageParser.parse(json.dumps(MACHINE))

    assert len(read) == 1
    assert again is tree
    assert second is not first


@pytest.mark.usefixtures("cloud")
def test_one_with_a_syntax_error_has_it_each_time() -> None:
    for _ in range(2):
        with pytest.raises(ASLParserException):
            AmazonStateLanguageParser.parse('{"States": ')


@pytest.mark.usefixtures("cloud")
def test_a_path_is_parsed_once_and_finds_in_other_data_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    read = noting(monkeypatch, JsonPathLexer, "tokenize")

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda number: extract_json("$.once.only", {"once": {"only": number}}), range(40)))
    with pytest.raises(NoSuchJsonPathError):
        extract_json("$.once.only", {})

    assert found == list(range(40))
    assert len(read) <= 4  # several may parse it before the first has
