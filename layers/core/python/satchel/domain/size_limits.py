"""What is kept in one item is bounded, whatever a tool returned: an item of the table holds 400 KB."""

from collections.abc import Sequence
from typing import Any

from satchel.contract import strip_blobs
from satchel.domain.calls import CallResult
from satchel.domain.responses import ResponseArtifact, ResponseDeferred

MAX_SETTLED_BYTES = 300_000
MAX_EVENT_BYTES = 300_000
MAX_FILES = 100
MAX_ANSWER_CHARS = 80_000
MAX_TEXT_CHARS = 2_000
MAX_NAME_CHARS = 1_000
_SHORT_TEXT_CHARS = 100
_SHORT_RESULTS_CHARS = 4_000
_NOTE = {"truncated": "What the tool said was too long to be kept whole."}


def cut(text: str, max_chars: int = MAX_TEXT_CHARS) -> str:
    """Return a text of at most ``max_chars`` characters, with a mark where something is left out."""
    return text if len(text) <= max_chars else text[: max_chars - 1] + "…"


def plain(value: Any, max_chars: int = MAX_TEXT_CHARS) -> Any:  # noqa: ANN401  (any JSON value)
    """Return what a tool said beside its results, without base64 and links, each text cut."""
    return _cut_all(strip_blobs(value), max_chars)


def _cut_all(value: Any, max_chars: int) -> Any:  # noqa: ANN401  (any JSON value)
    if isinstance(value, str):
        return cut(value, max_chars)
    if isinstance(value, dict):
        return {cut(key, max_chars): _cut_all(item, max_chars) for key, item in value.items()}
    return [_cut_all(item, max_chars) for item in value] if isinstance(value, list) else value


def fit(settled: CallResult) -> CallResult:
    """Return what fits into an item: as it is, or without what is said about files, or with short results as well."""
    for smaller in (settled, _terse(settled), _terse(settled).model_copy(update=_short(settled))):
        if len(smaller.model_dump_json().encode()) <= MAX_SETTLED_BYTES:
            return smaller
    kept = settled.model_dump(include={"is_error", "error_code", "duration_ms"})
    return CallResult(**kept, meta_data=dict(_NOTE))


def _terse(settled: CallResult) -> CallResult:
    meta = (settled.meta_data or {}) | _NOTE
    artifacts = [_terse_file(file, {"metadata": None}) for file in settled.artifacts]
    deferred = [_terse_file(file, {"next_actions": []}) for file in settled.deferred]
    return settled.model_copy(update={"artifacts": artifacts, "deferred": deferred, "meta_data": meta})


def _terse_file(file: ResponseArtifact | ResponseDeferred, without: dict[str, Any]) -> Any:  # noqa: ANN401  (as given)
    return file.model_copy(update={"description": cut(file.description or "", _SHORT_TEXT_CHARS) or None, **without})


def _short(settled: CallResult) -> dict[str, Any]:
    return {"results": cut(str(settled.results), _SHORT_RESULTS_CHARS), "meta_data": dict(_NOTE)}


def pieces(text: str, max_chars: int = 20_000) -> Sequence[str]:
    """Return a text in pieces of at most ``max_chars`` characters; none of an empty one."""
    return [text[start : start + max_chars] for start in range(0, len(text), max_chars)]
