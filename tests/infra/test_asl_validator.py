"""The validator accepts the deployed state machine and names the errors of a broken one."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from infra import sources
from tests.infra.asl_validator import problems

Machine = dict[str, Any]
VALUES: dict[str, object] = {
    "Partition": "aws",
    "Think": "think",
    "Dispatch": "dispatch",
    "Finish": "finish",
    "HeartbeatSeconds": 35,
    "CallTimeoutSeconds": 900,
    "ApprovalSeconds": 3600,
    "InputSeconds": 86400,
    "TurnTimeoutSeconds": 3600,
}


@pytest.fixture
def machine() -> Machine:
    parsed: Machine = json.loads(sources.load_turn_workflow(VALUES))
    return parsed


def _states(machine: Machine) -> Machine:
    states: Machine = machine["States"]
    return states


def _calls(machine: Machine) -> Machine:
    states: Machine = machine["States"]["RunTools"]["ItemProcessor"]["States"]
    return states


def test_turn_machine_is_valid(machine: Machine) -> None:
    assert problems(json.dumps(machine)) == []


def test_unfilled_placeholder_is_an_error() -> None:
    incomplete = {name: value for name, value in VALUES.items() if name != "Finish"}
    with pytest.raises(KeyError, match="Finish"):
        sources.load_turn_workflow(incomplete)
    assert problems(sources.load_turn_workflow(VALUES | {"Finish": "${Later}"})) == [
        "placeholder ${Later} is not filled"
    ]


def test_text_that_is_not_json_is_an_error() -> None:
    (problem,) = problems('{"StartAt": ')
    assert problem.startswith("not JSON: ")


ALONE_UNREACHED = [
    f"{name}Alone is never reached"
    for name in ("Resume", "Wait1s", "Wait5s", "Wait30s", "Wait300s", "Poll", "Input", "RecordToolResult")
]
MUTATIONS: list[tuple[Callable[[Machine], object], list[str]]] = [
    (lambda m: m.update(StartAt="Begin"), ["the machine: StartAt Begin does not exist"]),
    (
        lambda m: _states(m)["Think"].update(Next="Choose"),
        [
            "Think: Choose does not exist",
            "AnyCalls is never reached",
            "Ended is never reached",
            "AwaitServers is never reached",
            *ALONE_UNREACHED,
        ],
    ),
    (
        lambda m: _states(m)["RunTools"].update(Next="Reply"),
        [
            "RunTools: Reply does not exist",
            "Think is never reached",
            "AnyCalls is never reached",
            "Ended is never reached",
            "AwaitServers is never reached",
            *ALONE_UNREACHED,
        ],
    ),
    (lambda m: _states(m)["Think"]["Catch"][0].update(Next="Failed"), ["Think: Failed does not exist"]),
    (
        lambda m: _calls(m)["Dispatch"]["Catch"][1].update(Next="Finish"),
        ["Dispatch: Finish does not exist"],  # a transition cannot leave a branch
    ),
    (lambda m: _calls(m).update(Lost={"Type": "Succeed"}), ["Lost is never reached"]),
    (
        lambda m: _states(m)["Finish"].pop("End"),
        ["Finish: needs Next or End, and not both", "Finish: no end can be reached"],
    ),
    (
        lambda m: (_states(m)["Finish"].pop("End"), _states(m)["Ended"].update(Type="Wait", Seconds=1, Next="Think")),
        ["Finish: needs Next or End, and not both", "the machine: no state ends it"],
    ),
    (lambda m: _states(m)["Finish"].update(Next="Think"), ["Finish: needs Next or End, and not both"]),
    (
        lambda m: _states(m).update(
            Finish={
                "Type": "Choice",
                "Choices": [{"Variable": "$.again", "IsPresent": True, "Next": "Done"}],
                "Default": "Spin",
            },
            Done={"Type": "Succeed"},
            Spin={"Type": "Pass", "Next": "Spin"},
        ),
        ["Spin: no end can be reached"],
    ),
    (lambda m: m.update(QueryLanguage="JSONata"), ["QueryLanguage is set", "the machine: unknown field QueryLanguage"]),
    (
        lambda m: _states(m)["Finish"].update(Output="{% $states.result %}"),
        ["a JSONata expression", "Finish: unknown field Output"],
    ),
    (lambda m: _states(m)["Finish"].update(Type="Tsak"), ["Finish: unknown type Tsak"]),
    (lambda m: _states(m)["Finish"].update(Timeout=5), ["Finish: unknown field Timeout"]),
    (lambda m: _states(m)["Finish"].pop("Resource"), ["Finish: Resource is missing"]),
    (
        lambda m: _states(m)["AnyCalls"].update(Choices=[]),
        ["AnyCalls: Choices is empty", "Ended is never reached", "AwaitServers is never reached", *ALONE_UNREACHED],
    ),
    (lambda m: _states(m)["AnyCalls"]["Choices"][1].pop("Next"), ["AnyCalls: a choice without Next"]),
    (
        lambda m: _calls(m)["Resume"].update(HeartbeatSeconds=900),
        ["Resume: HeartbeatSeconds is not less than TimeoutSeconds"],
    ),
    (lambda m: _calls(m)["Input"].pop("TimeoutSeconds"), ["Input: waits for a token without a timeout"]),
    (lambda m: _calls(m)["Dispatch"].pop("TimeoutSecondsPath"), ["Dispatch: waits for a token without a timeout"]),
    (
        lambda m: _calls(m)["Dispatch"]["Parameters"]["Payload"].pop("task_token.$"),
        ["Dispatch: waits for a token but does not pass it on"],
    ),
    (lambda m: _calls(m)["Dispatch"]["Catch"].reverse(), ["Dispatch: States.ALL in Catch must be alone and last"]),
    (lambda m: _states(m)["Think"]["Retry"][1].update(ErrorEquals=[]), ["Think: Retry without ErrorEquals"]),
    (
        lambda m: _states(m)["Think"]["Parameters"]["Payload"].update(user="$.user"),
        ["Think: user does not match the value '$.user'"],
    ),
    (
        lambda m: _states(m)["Think"]["Parameters"]["Payload"].update({"round.$": "0"}),
        ["Think: round.$ does not match the value '0'"],
    ),
]


@pytest.mark.parametrize(("mutate", "expected"), MUTATIONS)
def test_broken_machine_is_rejected_with_the_reasons(
    machine: Machine, mutate: Callable[[Machine], object], expected: list[str]
) -> None:
    broken = copy.deepcopy(machine)
    mutate(broken)
    actual = problems(json.dumps(broken))
    assert len(actual) == len(expected), actual
    assert all(problem.startswith(start) for problem, start in zip(actual, expected, strict=True)), actual
