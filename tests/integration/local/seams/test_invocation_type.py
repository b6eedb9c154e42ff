import threading

from tests.integration.local.workshop import Workshop, task


def test_a_state_of_type_event_does_not_wait_for_its_function(workshop: Workshop) -> None:
    release = threading.Event()
    name = workshop.function(lambda _event, _context: release.wait(20))
    parameters = {"FunctionName": name, "InvocationType": "Event", "Payload": {}}
    status, output = workshop.run({"Go": task(name, Parameters=parameters)})
    waited = release.is_set()
    release.set()
    assert (status, output["StatusCode"], waited) == ("SUCCEEDED", 202, False)
