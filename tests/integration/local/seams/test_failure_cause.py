from tests.integration.local.workshop import States, Workshop, waiting_task


def test_a_catch_sees_the_error_and_the_cause_that_were_sent(workshop: Workshop) -> None:
    name, tokens = workshop.token_taker()
    catch = [{"ErrorEquals": ["States.ALL"], "ResultPath": "$.failure", "Next": "Over"}]
    states: States = {"Wait": waiting_task(name, Catch=catch), "Over": {"Type": "Succeed"}}
    execution = workshop.start(states, {"kept": 1})
    workshop.states.send_task_failure(taskToken=tokens.get(timeout=5), error="E_TOOL", cause="it broke")
    assert workshop.end(execution) == ("SUCCEEDED", {"kept": 1, "failure": {"Error": "E_TOOL", "Cause": "it broke"}})
