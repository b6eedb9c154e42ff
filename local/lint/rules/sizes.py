"""What goes to the model is to be small, and no bytes (spec 1, size and safety; spec 2 §1 and §5)."""

import re
from collections.abc import Iterator
from typing import Any

from local.lint.findings import Clause, Finding
from local.lint.subject import Node, Subject
from satchel.contract.jsonable import to_json_text
from satchel.contract.model_view import MAX_META_DATA_BYTES

RESULTS = Clause("v1:results:size", "1 Size / Safety Guidelines")
META_DATA = Clause("v2:meta-data:size", "2 §1")
BASE64 = Clause("v1:results:no-base64", "1 Size / Safety Guidelines")

MAX_RESULTS_BYTES = 4096
_MANY = 256
_LEAST_SHARE = 0.15
_MAX_SLASHES = 0.1
# Begins where no character of the alphabet stands before: so a long text is read once, not once from every place.
_RUN = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{32,}(?:\r?\n[A-Za-z0-9+/]+)*={0,2}")
_DATA_URL = re.compile(r"data:[^,\s]{0,200};base64,", re.IGNORECASE)
_IMAGES = ("iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "PHN2Zy")  # PNG, JPEG, GIF, RIFF, SVG
_DOCUMENTS = ("JVBERi0", "UEsDB", "H4sI", "PGh0bW", "PCFET0", "PCFkb2")  # PDF, ZIP, gzip, HTML in three ways


def results_are_small(subject: Subject) -> Iterator[Finding]:
    """Name results over 4 KB of JSON, not counting the base64 in them, which is a fault of its own."""
    if subject.results is None:
        return
    size = _size(_without_blobs(subject.results))
    if size > MAX_RESULTS_BYTES:
        message = f"`results` has {size:,} bytes of JSON: the model is given all of it."
        yield RESULTS.warning(subject.results.where, message, "Keep it under 4 KB; put the rest into a file.")


def meta_data_is_small(subject: Subject) -> Iterator[Finding]:
    """Name `meta_data` over 4 KB: the largest facts are kept from the model."""
    for node in (*subject.given("meta_data"), *subject.given("meta-data")):
        size = _size(node.value)
        if size > MAX_META_DATA_BYTES:
            message = f"`{node.where.rpartition('.')[2]}` has {size:,} bytes of JSON; the model is given 4 KB at most."
            yield META_DATA.warning(node.where, message, "Keep small facts there; put the rest into a file.")


def results_hold_no_base64(subject: Subject) -> Iterator[Finding]:
    """Name every text in the results that holds base64 of a file: the model is not given it."""
    for node in _texts(subject.results) if subject.results else ():
        if _is_blob(node.value):
            message = f"There is base64 in `results` ({len(node.value):,} characters)."
            yield BASE64.warning(node.where, message, "Return the file as an artifact, and name it in `results`.")


def _texts(node: Node) -> Iterator[Node]:
    if isinstance(node.value, str):
        yield node
    for child in node.children():
        yield from _texts(child)


def _without_blobs(node: Node) -> Any:  # noqa: ANN401  (any JSON value)
    if isinstance(node.value, str):
        return "" if _is_blob(node.value) else node.value
    if node.fields:
        return {key: _without_blobs(child) for key, child in zip(node.fields, node.children(), strict=True)}
    return [_without_blobs(item) for item in node.items()] or node.value


def _is_blob(text: str) -> bool:
    return _DATA_URL.search(text) is not None or any(_is_base64(run[0]) for run in _RUN.finditer(text))


def _is_base64(run: str) -> bool:
    """Tell base64 from hashes, genes, paths and long words: by how a file begins, or by its mixture of letters."""
    if run.startswith(_IMAGES + _DOCUMENTS):
        return True
    if len(run) < _MANY:
        return False
    upper, lower = (sum(map(test, run)) / len(run) for test in (str.isupper, str.islower))
    return min(upper, lower) > _LEAST_SHARE and run.count("/") / len(run) < _MAX_SLASHES


def _size(value: object) -> int:
    return len(to_json_text(value).encode())
