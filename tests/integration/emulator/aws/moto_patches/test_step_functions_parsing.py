import json
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from antlr4 import CommonTokenStream  # type: ignore[import-untyped]  # it has no types
from jsonpath_ng.lexer import JsonPathLexer
from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser, ASLParserException
from moto.stepfunctions.parser.asl.utils.json_path import NoSuchJsonPathError, extract_json

from tests.integration.emulator.cloud_driver import CloudDriver, task

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
def test_definition_is_parsed_once_for_all_executions(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = record_calls(monkeypatch, CommonTokenStream, "__init__")

    first = AmazonStateLanguageParser.parse(json.dumps(MACHINE))
    second = AmazonStateLanguageParser.parse(json.dumps(MACHINE))

    assert len(calls) == 1
    assert second is first


def test_creation_of_a_machine_parses_nothing(driver: CloudDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = record_calls(monkeypatch, CommonTokenStream, "__init__")
    machine = driver.machine({"Only": {"Type": "Pass", "Comment": "parsed when it runs", "End": True}})
    assert calls == []

    assert driver.wait(driver.execute(machine))[0] == "SUCCEEDED"
    assert len(calls) == 1


def test_executions_change_nothing_that_they_share(driver: CloudDriver) -> None:
    """Else, the retries of one execution would count for another one."""
    invocations: list[object] = []

    def fail(event: object, _context: object) -> None:
        invocations.append(event)
        raise KeyError("x")

    retry = [{"ErrorEquals": ["States.ALL"], "IntervalSeconds": 1, "MaxAttempts": 1}]
    machine = driver.machine({"Fail": task(driver.function(fail), Retry=retry)})
    definition = driver.states.describe_state_machine(stateMachineArn=machine)["definition"]
    shared, _ = AmazonStateLanguageParser.parse(definition)
    before = pickle.dumps(shared)

    executions = [driver.execute(machine) for _ in range(3)]

    assert [driver.wait(execution)[0] for execution in executions] == ["FAILED"] * 3
    assert len(invocations) == 3 * 2
    assert AmazonStateLanguageParser.parse(definition)[0] is shared
    assert pickle.dumps(shared) == before


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
