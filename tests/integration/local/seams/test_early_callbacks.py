import time
from typing import Any

from local.runners.context import LambdaContext
from tests.integration.local.workshop import Workshop, waiting_task


def test_a_callback_that_the_function_itself_sends_is_not_lost(workshop: Workshop) -> None:
    def answer(event: Any, _context: LambdaContext) -> None:  # noqa: ANN401  (a payload of any shape)
        workshop.states.send_task_success(taskToken=event["token"], output='{"early": true}')

    state = waiting_task(workshop.function(answer), heartbeat=1, timeout=5)
    assert workshop.run({"Wait": state}) == ("SUCCEEDED", {"early": True})


def test_a_beat_before_the_task_waits_is_accepted(workshop: Workshop) -> None:
    def beat_and_answer(event: Any, _context: LambdaContext) -> None:  # noqa: ANN401  (a payload of any shape)
        workshop.states.send_task_heartbeat(taskToken=event["token"])
        workshop.states.send_task_success(taskToken=event["token"], output="1")

    state = waiting_task(workshop.function(beat_and_answer), heartbeat=1, timeout=5)
    assert workshop.run({"Wait": state}) == ("SUCCEEDED", 1)


def test_beats_keep_a_task_alive_beyond_its_heartbeat(workshop: Workshop) -> None:
    name, tokens = workshop.token_taker()
    execution = workshop.start({"Wait": waiting_task(name, heartbeat=1, timeout=10)})
    token = tokens.get(timeout=5)
    for _ in range(3):
        time.sleep(0.5)  # the interpreter's timers know no other time than the real one
        workshop.states.send_task_heartbeat(taskToken=token)
    workshop.states.send_task_success(taskToken=token, output="2")
    assert workshop.end(execution) == ("SUCCEEDED", 2)
