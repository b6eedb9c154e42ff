"""What is kept in one item is bounded, whatever a tool returned: an item of the table holds 400 KB."""

from collections.abc import Sequence
from typing import Any

from satchel.contract import strip_blobs
from satchel.domain.calls import CallSettled
from satchel.domain.responses import ResponseArtifact, ResponseDeferred

MOST_SETTLED_BYTES = 300_000
MOST_EVENT_BYTES = 300_000
MOST_FILES = 100
MOST_ANSWER_CHARS = 80_000
MOST_TEXT_CHARS = 2_000
MOST_NAME_CHARS = 1_000
_SHORT_TEXT_CHARS = 100
_SHORT_RESULTS_CHARS = 4_000
_NOTE = {"truncated": "What the tool said was too long to be kept whole."}


def cut(text: str, most: int = MOST_TEXT_CHARS) -> str:
    """Return a text of at most ``most`` characters, with a mark where something is left out."""
    return text if len(text) <= most else text[: most - 1] + "…"


def plain(value: Any, most: int = MOST_TEXT_CHARS) -> Any:  # noqa: ANN401  (any JSON value)
    """Return what a tool said beside its results, without base64 and links, each text cut."""
    return _cut_all(strip_blobs(value), most)


def _cut_all(value: Any, most: int) -> Any:  # noqa: ANN401  (any JSON value)
    if isinstance(value, str):
        return cut(value, most)
    if isinstance(value, dict):
        return {cut(key, most): _cut_all(item, most) for key, item in value.items()}
    return [_cut_all(item, most) for item in value] if isinstance(value, list) else value


def fit(settled: CallSettled) -> CallSettled:
    """Return what fits into an item: as it is, or without what is said about files, or with short results as well."""
    for smaller in (settled, _terse(settled), _terse(settled).model_copy(update=_short(settled))):
        if len(smaller.model_dump_json().encode()) <= MOST_SETTLED_BYTES:
            return smaller
    kept = settled.model_dump(include={"is_error", "error_code", "duration_ms"})
    return CallSettled(**kept, meta_data=dict(_NOTE))


def _terse(settled: CallSettled) -> CallSettled:
    meta = (settled.meta_data or {}) | _NOTE
    artifacts = [_terse_file(file, {"metadata": None}) for file in settled.artifacts]
    deferred = [_terse_file(file, {"next_actions": []}) for file in settled.deferred]
    return settled.model_copy(update={"artifacts": artifacts, "deferred": deferred, "meta_data": meta})


def _terse_file(file: ResponseArtifact | ResponseDeferred, without: dict[str, Any]) -> Any:  # noqa: ANN401  (as given)
    return file.model_copy(update={"description": cut(file.description or "", _SHORT_TEXT_CHARS) or None, **without})


def _short(settled: CallSettled) -> dict[str, Any]:
    return {"results": cut(str(settled.results), _SHORT_RESULTS_CHARS), "meta_data": dict(_NOTE)}


def pieces(text: str, most: int = 20_000) -> Sequence[str]:
    """Return a text in pieces of at most ``most`` characters; none of an empty one."""
    return [text[start : start + most] for start in range(0, len(text), most)]
