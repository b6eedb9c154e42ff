import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from antlr4 import CommonTokenStream, RuleContext  # type: ignore[import-untyped]  # it has no types
from jsonpath_ng.lexer import JsonPathLexer
from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser, ASLParserException
from moto.stepfunctions.parser.asl.utils.json_path import NoSuchJsonPathError, extract_json

MACHINE = {"StartAt": "Only", "States": {"Only": {"Type": "Pass", "Comment": "parsed once", "End": True}}}


def record_calls(monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> list[object]:
    """Return a list to which each later call of the method appends its arguments."""
    calls: list[object] = []
    original = getattr(owner, name)

    def record_call(*args: object) -> object:
        calls.append(args)
        return original(*args)

    monkeypatch.setattr(owner, name, record_call)
    return calls


@pytest.mark.usefixtures("cloud")
def test_definition_is_parsed_once_and_each_execution_gets_its_own_components(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = record_calls(monkeypatch, CommonTokenStream, "__init__")

    first, first_tree = AmazonStateLanguageParser.parse(json.dumps(MACHINE))
    second, second_tree = AmazonStateLanguageParser.parse(json.dumps(MACHINE))

    assert len(calls) == 1
    assert second_tree is first_tree
    assert second is not first


@pytest.mark.usefixtures("cloud")
def test_text_of_a_definition_is_joined_once_for_all_executions(monkeypatch: pytest.MonkeyPatch) -> None:
    AmazonStateLanguageParser.parse(json.dumps(MACHINE))
    calls = record_calls(monkeypatch, RuleContext, "getText")

    AmazonStateLanguageParser.parse(json.dumps(MACHINE))

    assert calls == []


@pytest.mark.usefixtures("cloud")
def test_syntax_error_is_raised_every_time() -> None:
    for _ in range(2):
        with pytest.raises(ASLParserException):
            AmazonStateLanguageParser.parse('{"States": ')


@pytest.mark.usefixtures("cloud")
def test_path_is_parsed_once_and_applied_to_different_data(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = record_calls(monkeypatch, JsonPathLexer, "tokenize")

    with ThreadPoolExecutor(4) as pool:
        values = list(pool.map(lambda number: extract_json("$.once.only", {"once": {"only": number}}), range(40)))
    with pytest.raises(NoSuchJsonPathError):
        extract_json("$.once.only", {})

    assert values == list(range(40))
    assert len(calls) <= 4  # each of the four threads may parse it before the first has finished
