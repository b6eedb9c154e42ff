"""Hand over and read the outcome of a call: a JSON document under the person's prefix, which goes when it was read."""

import io

from pydantic import ValidationError

from satchel.domain.calls import Outcome
from satchel.domain.places import UNKEPT
from satchel.ports.file_store import FileStore

MOST_OUTCOME_BYTES = 8 << 20


def store_outcome(store: FileStore, key: str, outcome: Outcome) -> None:
    """Write an outcome."""
    store.put(key, io.BytesIO(outcome.model_dump_json().encode()), "application/json", UNKEPT)


def read_outcome(store: FileStore, key: str) -> Outcome | None:
    """Read an outcome; None where there is none.

    Raises ValueError when it is too large or not of the form: it was written where foreign code ran.
    """
    text = store.read(key, MOST_OUTCOME_BYTES)
    if text is None:
        return None
    try:
        return Outcome.model_validate_json(text)
    except ValidationError as error:
        raise ValueError(f"the outcome is malformed: {error.error_count()} problems") from error
