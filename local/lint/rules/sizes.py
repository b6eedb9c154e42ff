"""Lint rules for the values that the model receives: they must be small and contain no base64."""

import re
from collections.abc import Iterator
from typing import Any

from local.lint.findings import Clause, Finding
from local.lint.tool_output import Node, ToolOutput
from satchel.contract.jsonable import to_json_text
from satchel.contract.model_view import MAX_META_DATA_BYTES

RESULTS_SIZE = Clause("v1:results:size", "1 Size / Safety Guidelines")
META_DATA_SIZE = Clause("v2:meta-data:size", "2 §1")
RESULTS_BASE64 = Clause("v1:results:no-base64", "1 Size / Safety Guidelines")

MAX_RESULTS_BYTES = 4096
_MIN_UNKNOWN_CHARS = 256  # minimum length at which text without a known file signature counts as base64
_MIN_CASE_SHARE = 0.15  # minimum share of upper-case and of lower-case letters in text that counts as base64
_MAX_SLASH_SHARE = 0.1
# The lookbehind allows matches only at the start of a base64 run. Without it, each character would start a scan.
_BASE64_RUN = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{32,}(?:\r?\n[A-Za-z0-9+/]+)*={0,2}")
_DATA_URL = re.compile(r"data:[^,\s]{0,200};base64,", re.IGNORECASE)
_IMAGES = ("iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "PHN2Zy")  # base64 of PNG, JPEG, GIF, RIFF, SVG headers
_DOCUMENTS = ("JVBERi0", "UEsDB", "H4sI", "PGh0bW", "PCFET0", "PCFkb2")  # base64 of PDF, ZIP, gzip and HTML headers


def check_results_size(output: ToolOutput) -> Iterator[Finding]:
    """Report ``results`` over 4 KB of JSON. The size excludes base64, because another rule reports base64."""
    if output.results is None:
        return
    size = _size(_without_base64(output.results))
    if size > MAX_RESULTS_BYTES:
        message = f"`results` has {size:,} bytes of JSON, and the model receives all of them."
        yield RESULTS_SIZE.warning(output.results.json_path, message, "Keep it under 4 KB; put the rest into a file.")


def check_meta_data_size(output: ToolOutput) -> Iterator[Finding]:
    """Report ``meta_data`` over 4 KB, because the model then does not receive the largest values."""
    for node in (*output.fields_at("meta_data"), *output.fields_at("meta-data")):
        size = _size(node.value)
        if size > MAX_META_DATA_BYTES:
            key = node.json_path.rpartition(".")[2]
            message = f"`{key}` has {size:,} bytes of JSON; the model receives 4 KB at most."
            yield META_DATA_SIZE.warning(node.json_path, message, "Keep small values there; put the rest into a file.")


def check_base64_in_results(output: ToolOutput) -> Iterator[Finding]:
    """Report each text in ``results`` that contains a file as base64, because the model does not receive the base64."""
    for node in _texts(output.results) if output.results else ():
        if _contains_base64(node.value):
            message = f"There is base64 in `results` ({len(node.value):,} characters)."
            advice = "Return the file as an artifact, and mention its name in `results`."
            yield RESULTS_BASE64.warning(node.json_path, message, advice)


def _texts(node: Node) -> Iterator[Node]:
    if isinstance(node.value, str):
        yield node
    for child in node.children():
        yield from _texts(child)


def _without_base64(node: Node) -> Any:  # noqa: ANN401  (any JSON value)
    if isinstance(node.value, str):
        return "" if _contains_base64(node.value) else node.value
    if node.fields:
        return {key: _without_base64(child) for key, child in zip(node.fields, node.children(), strict=True)}
    return [_without_base64(item) for item in node.items()] or node.value


def _contains_base64(text: str) -> bool:
    return _DATA_URL.search(text) is not None or any(_is_base64(match[0]) for match in _BASE64_RUN.finditer(text))


def _is_base64(run: str) -> bool:
    """Return True if the text starts with a known file signature, or mixes upper and lower case as base64 does.

    Hashes, gene sequences, paths and long words mix upper and lower case differently.
    """
    if run.startswith(_IMAGES + _DOCUMENTS):
        return True
    if len(run) < _MIN_UNKNOWN_CHARS:
        return False
    upper, lower = (sum(map(test, run)) / len(run) for test in (str.isupper, str.islower))
    return min(upper, lower) > _MIN_CASE_SHARE and run.count("/") / len(run) < _MAX_SLASH_SHARE


def _size(value: object) -> int:
    return len(to_json_text(value).encode())
