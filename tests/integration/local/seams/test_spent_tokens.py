import pytest

from tests.integration.local.workshop import Workshop, waiting_task


def test_a_task_that_was_given_up_refuses_beats_and_results(workshop: Workshop) -> None:
    name, tokens = workshop.token_taker()
    catch = [{"ErrorEquals": ["States.HeartbeatTimeout", "States.Timeout"], "Next": "Second"}]
    states = {"First": waiting_task(name, heartbeat=1, Catch=catch), "Second": waiting_task(name)}
    execution = workshop.start(states)
    first, second = tokens.get(timeout=5), tokens.get(timeout=5)
    with pytest.raises(workshop.states.exceptions.TaskTimedOut):
        workshop.states.send_task_heartbeat(taskToken=first)
    with pytest.raises(workshop.states.exceptions.TaskTimedOut):
        workshop.states.send_task_success(taskToken=first, output="1")
    workshop.states.send_task_success(taskToken=second, output="2")
    assert workshop.end(execution) == ("SUCCEEDED", 2)


def test_a_result_can_be_sent_once(workshop: Workshop) -> None:
    name, tokens = workshop.token_taker()
    states = {"First": waiting_task(name, Next="Second"), "Second": waiting_task(name)}
    execution = workshop.start(states)
    first = tokens.get(timeout=5)
    workshop.states.send_task_success(taskToken=first, output="1")
    tokens.get(timeout=5)
    with pytest.raises(workshop.states.exceptions.TaskTimedOut):
        workshop.states.send_task_success(taskToken=first, output="1")
    workshop.states.stop_execution(executionArn=execution)
