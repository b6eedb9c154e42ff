"""Build the part of a tool output that the model reads: results and file names, but no base64, links or tokens."""

import json
import re
from collections.abc import Sequence
from typing import Any, TypeVar

from satchel.contract.file_names import safe_name
from satchel.contract.tokens import scrub, scrub_text
from satchel.contract.tool_output import Artifact, ArtifactProblem, DeferredArtifact, Display, ToolOutput

_Part = TypeVar("_Part", Artifact, DeferredArtifact, Display, ArtifactProblem)

MAX_META_DATA_BYTES = 4096
DEFAULT_BUDGET = 24_000  # maximum length of a tool's results in characters, about 6,000 tokens

_MAX_BASE64 = 1024
_ALPHABET = "A-Za-z0-9+/_-"
_DATA_URL = re.compile(
    r"\bdata:(?:(?P<mime>[\w.+-]+/[\w.+-]+)(?:;[\w.+=-]+)*|(?:;[\w.+=-]+)+),[^\s\"'<>()\\]*", re.IGNORECASE
)
# Without the lookbehinds, a match could start at each base64 character, and the search would take quadratic time.
_RUN = re.compile(rf"(?<![{_ALPHABET}])[{_ALPHABET}]{{{_MAX_BASE64 + 1},}}={{0,2}}")
_WRAPPED_RUN = re.compile(rf"(?<![{_ALPHABET}])(?:[{_ALPHABET}]{{60,}}(?:\s+|(?:\\[rn])+))+[{_ALPHABET}]*={{0,2}}")
_OMISSION = re.compile(r"\n\[… \d+ characters omitted …\]\n")
_SPACES = re.compile(r"\s+|\\[rn]")
_NUCLEOTIDES = frozenset("ACGTUN")


def build_model_view(
    output: ToolOutput, *, files: Sequence[str] | None = None, budget: int = DEFAULT_BUDGET
) -> dict[str, Any]:
    """Return the JSON object that the model reads: ``{results, meta_data?, files?, problems?, truncated?}``.

    ``files`` are the names of the stored files (default: the safe names of the output's files). If the JSON text of the
    results exceeds ``budget`` characters, keep only its beginning and end; ``truncated`` says how much is omitted.
    """
    view: dict[str, Any] = {}
    view["results"], results_note = _truncate_results(strip_blobs(output.results), budget)
    meta_data, meta_note = limit_meta_data(strip_blobs(output.meta_data))
    names = [item.name for item in output.artifacts] + [item.name for item in output.deferred_artifacts]
    optional = {
        "meta_data": meta_data,
        "files": [safe_name(name) for name in names] if files is None else list(files),
        "problems": [
            {"name": safe_name(problem.name), "reason": strip_blobs(problem.reason)} for problem in output.problems
        ],
        "truncated": results_note | meta_note,
    }
    return view | {key: value for key, value in optional.items() if value}


def scrub_output(output: ToolOutput) -> ToolOutput:
    """Return a copy of the output without file links and tokens. Paths, URIs, base64 and the canvas stay unchanged.

    File names are scrubbed as well, because tools name files after the URLs from which they read them.
    """
    return output.model_copy(
        update={
            "results": scrub(output.results),
            "meta_data": scrub(output.meta_data),
            "artifacts": [_scrub_fields(item) for item in output.artifacts],
            "deferred_artifacts": [_scrub_fields(item) for item in output.deferred_artifacts],
            "display": output.display and _scrub_fields(output.display),
            "problems": [_scrub_fields(item) for item in output.problems],
        }
    )


def _scrub_fields(item: _Part) -> _Part:
    """Scrub the texts of a part of the output. A path must stay as it is, because its file is opened later."""
    fields = {name: getattr(item, name) for name in item.model_fields_set - {"path", "b64", "uri"}}
    return item.model_copy(update={name: scrub(value) for name, value in fields.items()})


def strip_blobs(value: Any) -> Any:  # noqa: ANN401  (any JSON value)
    """Replace base64 over 1 KB, ``data:`` URLs, file links and tokens with notes, at any depth of a JSON value."""
    if isinstance(value, str):
        return strip_base64(scrub_text(value))
    if isinstance(value, dict):
        return {strip_base64(scrub_text(key)): strip_blobs(item) for key, item in value.items()}
    if isinstance(value, list):
        return [strip_blobs(item) for item in value]
    return value


def strip_base64(text: str) -> str:
    """Replace base64 over 1 KB and ``data:`` URLs in a text with short notes."""
    if "data:" in text.lower():
        text = _DATA_URL.sub(_data_url_note, text)
    if len(text) <= _MAX_BASE64:
        return text
    return _RUN.sub(_base64_note, _WRAPPED_RUN.sub(_base64_note, text))


def _data_url_note(match: re.Match[str]) -> str:
    return f"[data URL omitted: {match['mime'] or 'text/plain'}, {len(match[0])} characters]"


def _base64_note(match: re.Match[str]) -> str:
    run = _SPACES.sub("", match[0])
    if len(run) <= _MAX_BASE64 or not _is_likely_base64(run):
        return match[0]
    return f"[base64 omitted: about {len(run) * 3 // 4} bytes]"


def _is_likely_base64(run: str) -> bool:
    """Return False for digits, hex hashes, ruler lines (``-----``) and DNA sequences, which look similar to base64."""
    letters = frozenset(run)
    # A kilobyte of base64 almost certainly contains a capital letter, unless all its bits are ones ("/////").
    if letters.isdisjoint("ABCDEFGHIJKLMNOPQRSTUVWXYZ"):
        return letters <= {"/", "="}
    return run.count("A") > len(run) // 2 or not (len(letters) == 1 or letters <= _NUCLEOTIDES)


def _truncate_results(results: Any, budget: int) -> tuple[Any, dict[str, Any]]:  # noqa: ANN401  (any JSON value)
    text = results if isinstance(results, str) else json.dumps(results, ensure_ascii=False)
    if len(text) <= budget:
        return results, {}
    head = budget * 2 // 3
    tail = budget - head
    left_out = len(text) - budget
    truncated = f"{text[:head]}\n[… {left_out} characters omitted …]\n{text[len(text) - tail :]}"
    return truncated, {"results": {"characters": len(text), "left_out": left_out}}


def omission_start(results: object) -> tuple[int, int] | None:
    """Return where the omitted part of shortened results begins: ``(line, characters before it in that line)``.

    The first line is 1. Return None if nothing is omitted.
    """
    match = _OMISSION.search(results) if isinstance(results, str) else None
    if match is None:
        return None
    head = match.string[: match.start()]
    return head.count("\n") + 1, len(head) - head.rfind("\n") - 1


def limit_meta_data(
    meta_data: dict[str, Any], max_bytes: int = MAX_META_DATA_BYTES
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return ``(meta_data of at most max_bytes, note that names the omitted keys)``. Omit the largest values first."""
    sizes = {key: len(json.dumps({key: value}, ensure_ascii=False).encode()) for key, value in meta_data.items()}
    included = set(meta_data)
    for key in sorted(sizes, key=lambda key: sizes[key], reverse=True):
        if sum(sizes[name] for name in included) < max_bytes:
            break
        included.discard(key)
    left_out = [safe_name(key) for key in meta_data if key not in included]
    note = {"meta_data": {"left_out": left_out[:10]}} if left_out else {}
    return {key: value for key, value in meta_data.items() if key in included}, note
