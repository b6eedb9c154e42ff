"""State Normalize: the outcome of one call becomes files, events and a word to the model."""

from typing import Any

from satchel.bootstrap.normalize import build
from satchel.bootstrap.observed import observed
from satchel.domain.steps import CallStep


@observed("normalize")
def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    """Settle one call."""
    del context
    return build()(CallStep.model_validate(event)).model_dump(mode="json")
