"""State Normalize: the outcome of one call becomes files, events and a word to the model."""

from typing import Any

from satchel.bootstrap.logs import set_up_logs
from satchel.bootstrap.normalize import build
from satchel.domain.steps import CallStep


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Settle one call."""
    del context
    set_up_logs("normalize")
    return build()(CallStep.model_validate(event)).model_dump(mode="json")
