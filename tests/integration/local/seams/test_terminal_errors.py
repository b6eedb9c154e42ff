import pytest

from tests.integration.local.workshop import State, Workshop, mapped, task

CATCH = [{"ErrorEquals": ["States.ALL"], "Next": "Caught"}]
CAUGHT: State = {"Type": "Pass", "End": True}


@pytest.fixture(scope="module")
def large(workshop: Workshop) -> str:
    """Return the name of a function whose answer no state may hold."""
    return workshop.function(lambda _event, _context: "x" * (256 << 10))


def test_data_above_the_limit_end_an_execution_that_catches_everything(workshop: Workshop, large: str) -> None:
    states = {"Large": task(large, Catch=CATCH, Next="Caught"), "Caught": CAUGHT}
    assert workshop.run(states)[0] == "FAILED"


def test_so_they_do_inside_a_map_that_catches_everything(workshop: Workshop, large: str) -> None:
    each = {key: value for key, value in mapped({"Large": task(large)}).items() if key != "End"}
    states = {"All": {**each, "Catch": CATCH, "Next": "Caught"}, "Caught": CAUGHT}
    assert workshop.run(states, {"items": [1]})[0] == "FAILED"


def test_a_path_that_leads_nowhere_is_not_caught_either(workshop: Workshop, large: str) -> None:
    parameters = {"FunctionName": large, "Payload.$": "$.absent"}
    states = {"Nowhere": task(large, Parameters=parameters, Catch=CATCH, Next="Caught"), "Caught": CAUGHT}
    assert workshop.run(states)[0] == "FAILED"


def test_everything_else_is(workshop: Workshop) -> None:
    def fail(_event: object, _context: object) -> None:
        raise KeyError("x")

    states = {"Fails": task(workshop.function(fail), Catch=CATCH, Next="Caught"), "Caught": CAUGHT}
    assert workshop.run(states)[0] == "SUCCEEDED"
