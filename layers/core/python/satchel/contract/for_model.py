"""What a model may see of a tool output: facts and names; never base64, never a link to a file, never a token."""

import json
import re
from collections.abc import Sequence
from typing import Any

from satchel.contract.models import ToolOutput
from satchel.contract.names import safe_name

MAX_META_DATA_BYTES = 4096
DEFAULT_BUDGET = 24_000  # characters of results: about 6,000 tokens

_MAX_BASE64 = 1024
_ALPHABET = "A-Za-z0-9+/_-"
_DATA_URL = re.compile(
    r"\bdata:(?:(?P<mime>[\w.+-]+/[\w.+-]+)(?:;[\w.+=-]+)*|(?:;[\w.+=-]+)+),[^\s\"'<>()\\]*", re.IGNORECASE
)
_ADDRESS = re.compile(r"(?:https?://|/api/files/download/)[^\s\"'<>)\]]+")
_FILE_LINKS = ("/api/files/download/", "X-Amz-Signature=", "X-Amz-Security-Token=")
# Each begins where no character of the alphabet stands before: so a long text is read once, not once from every place.
_RUN = re.compile(rf"(?<![{_ALPHABET}])[{_ALPHABET}]{{{_MAX_BASE64 + 1},}}={{0,2}}")
_LINES = re.compile(rf"(?<![{_ALPHABET}])(?:[{_ALPHABET}]{{60,}}(?:\s+|(?:\\[rn])+))+[{_ALPHABET}]*={{0,2}}")
_SPACES = re.compile(r"\s+|\\[rn]")
_NUCLEOTIDES = frozenset("ACGTUN")


def view_for_model(
    output: ToolOutput, *, files: Sequence[str] | None = None, budget: int = DEFAULT_BUDGET
) -> dict[str, Any]:
    """Return ``{results, meta_data?, files?, problems?, truncated?}``, all of it JSON.

    ``files`` are the names under which the files of the call were stored (without it: the names that they would get).
    ``results`` over ``budget`` characters of JSON become beginning and end of their text; ``truncated`` says so.
    """
    view: dict[str, Any] = {}
    view["results"], results_note = _within(strip_blobs(output.results), budget)
    meta_data, meta_note = small_facts(strip_blobs(output.meta_data))
    made = [item.name for item in output.artifacts] + [item.name for item in output.deferred_artifacts]
    optional = {
        "meta_data": meta_data,
        "files": [safe_name(name) for name in made] if files is None else list(files),
        "problems": [{"name": safe_name(fault.name), "reason": strip_blobs(fault.reason)} for fault in output.problems],
        "truncated": results_note | meta_note,
    }
    return view | {key: value for key, value in optional.items() if value}


def strip_blobs(value: Any) -> Any:  # noqa: ANN401  (any JSON value)
    """Replace, at any depth, base64 over 1 KB, ``data:`` URLs and links to files by a note of what was there."""
    if isinstance(value, str):
        return _strip_text(value)
    if isinstance(value, dict):
        return {_strip_text(key): strip_blobs(item) for key, item in value.items()}
    if isinstance(value, list):
        return [strip_blobs(item) for item in value]
    return value


def _strip_text(text: str) -> str:
    if "data:" in text.lower():
        text = _DATA_URL.sub(_data_url_note, text)
    if "://" in text or "/api/files/" in text:
        text = _ADDRESS.sub(_address_note, text)
    if len(text) <= _MAX_BASE64:
        return text
    return _RUN.sub(_base64_note, _LINES.sub(_base64_note, text))


def _data_url_note(match: re.Match[str]) -> str:
    return f"[data URL of {match['mime'] or 'text/plain'}, {len(match[0])} characters, left out]"


def _address_note(match: re.Match[str]) -> str:
    return "[link to a file left out]" if any(sign in match[0] for sign in _FILE_LINKS) else match[0]


def _base64_note(match: re.Match[str]) -> str:
    run = _SPACES.sub("", match[0])
    if len(run) <= _MAX_BASE64 or not _is_likely_base64(run):
        return match[0]
    return f"[base64 of about {len(run) * 3 // 4} bytes left out]"


def _is_likely_base64(run: str) -> bool:
    """Tell base64 from digits, hashes, rulers and genes, which are written in the same letters.

    A kilobyte of base64 without one capital is all but impossible, unless all its bits are ones (``/``).
    """
    letters = frozenset(run)
    if letters.isdisjoint("ABCDEFGHIJKLMNOPQRSTUVWXYZ"):
        return letters <= {"/", "="}
    return run.count("A") > len(run) // 2 or not (len(letters) == 1 or letters <= _NUCLEOTIDES)


def _within(results: Any, budget: int) -> tuple[Any, dict[str, Any]]:  # noqa: ANN401  (any JSON value)
    text = results if isinstance(results, str) else json.dumps(results, ensure_ascii=False)
    if len(text) <= budget:
        return results, {}
    head = budget * 2 // 3
    tail = budget - head
    left_out = len(text) - budget
    cut = f"{text[:head]}\n[… {left_out} characters left out …]\n{text[len(text) - tail :]}"
    return cut, {"results": {"characters": len(text), "left_out": left_out}}


def small_facts(meta_data: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Keep facts of under 4 KB together, in their order, and say what is left out: what is largest goes first."""
    sizes = {key: len(json.dumps({key: value}, ensure_ascii=False).encode()) for key, value in meta_data.items()}
    kept = set(meta_data)
    for key in sorted(sizes, key=lambda key: sizes[key], reverse=True):
        if sum(sizes[name] for name in kept) < MAX_META_DATA_BYTES:
            break
        kept.discard(key)
    left_out = [safe_name(key) for key in meta_data if key not in kept]
    note = {"meta_data": {"left_out": left_out[:10]}} if left_out else {}
    return {key: value for key, value in meta_data.items() if key in kept}, note
