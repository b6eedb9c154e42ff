import time

from tests.integration.local.workshop import Workshop, waiting_task


def waiting_for(workshop: Workshop, name: str) -> tuple[str, str]:
    """Start a task that lasts two seconds at most, with a beat every second, and that catches this one error.

    Return the execution and the task's token.
    """
    function, tokens = workshop.token_taker()
    catch = [{"ErrorEquals": [name], "Next": "Caught"}]
    states = {
        "Wait": waiting_task(function, heartbeat=1, timeout=2, Catch=catch),
        "Caught": {"Type": "Pass", "End": True},
    }
    execution = workshop.start(states)
    return execution, tokens.get(timeout=5)


def test_beats_that_stay_out_have_a_name_of_their_own(workshop: Workshop) -> None:
    execution, _ = waiting_for(workshop, "States.HeartbeatTimeout")
    status, output = workshop.end(execution)
    assert (status, output["Error"]) == ("SUCCEEDED", "States.HeartbeatTimeout")


def test_a_task_that_beats_and_lasts_too_long_has_the_other(workshop: Workshop) -> None:
    execution, token = waiting_for(workshop, "States.Timeout")
    while workshop.status(execution) == "RUNNING":
        workshop.states.send_task_heartbeat(taskToken=token)
        time.sleep(0.2)
    status, output = workshop.end(execution)
    assert (status, output["Error"]) == ("SUCCEEDED", "States.Timeout")
