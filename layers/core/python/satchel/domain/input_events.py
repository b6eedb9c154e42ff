"""The events that tell clients about questions of tools and their answers."""

from satchel.domain.events import NewEvent
from satchel.domain.ids import CallId
from satchel.domain.inputs import Action, OpenInput


def requested_event(question: OpenInput) -> NewEvent:
    """Return the event that a tool asks the user a question."""
    payload = question.model_dump(mode="json")
    once = f"input-{question.call_id}-{question.input_id}"
    return NewEvent(type="input_requested", payload=payload, dedupe_key=once)


def answered_event(call_id: CallId, input_id: str, action: Action) -> NewEvent:
    """Return the event that a question is answered or, with the action ``cancel``, that the tool has withdrawn it."""
    payload = {"call_id": call_id, "input_id": input_id, "action": action}
    return NewEvent(type="input_answered", payload=payload, dedupe_key=f"answered-{call_id}-{input_id}")
