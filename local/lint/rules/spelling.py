"""Lint rules for field names. A field that the contract does not define has no effect."""

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from local.lint.findings import Clause, Finding, quoted
from local.lint.tool_output import Node, ToolOutput, path_step

RESULTS_SPELLING = Clause("v1:results:spelling", "1 Common Mistakes")
FIELDS_SPELLING = Clause("v2.1:fields:spelling", "3 §1.1")
META_DATA_SPELLING = Clause("v1:meta-data:spelling", "1 Common Mistakes")
KNOWN_FIELDS = Clause("v2.1:fields:known", "3 §1.1")

FIELD_NAMES = (
    "results",
    "meta_data",
    "retryable",
    "artifacts",
    "display",
    "deferred_artifacts",
    "canvas",
    "returned_file_names",
    "returned_file_contents",
    "bibliography",
    "grantMarkdown",
)
_ACCEPTED = {*FIELD_NAMES, "meta-data", "problems", "unknown"}
_MIN_SIMILARITY = 0.85
_NO_LETTERS = re.compile(r"[\W_]+")


def check_misspelled_fields(output: ToolOutput) -> Iterator[Finding]:
    """Report each field whose name is similar to a contract field's name, if that contract field is missing."""
    if wrong := misspelled_results(output):
        json_path = output.payload.json_path + path_step(wrong)
        message = f"`results` is misspelled as {quoted(wrong)}."
        yield RESULTS_SPELLING.error(json_path, message, "Name the field `results`.")
    for node in output.contract_objects:
        for key, intended in _misspelled(node):
            message = f"`{intended}` is misspelled as {quoted(key)}, so it is ignored."
            yield FIELDS_SPELLING.error(node.json_path + path_step(key), message, f"Name the field `{intended}`.")


def check_meta_data_spelling(output: ToolOutput) -> Iterator[Finding]:
    """Report ``meta-data``, an old spelling of ``meta_data`` that Satchel still accepts."""
    for node in output.fields_at("meta-data"):
        yield META_DATA_SPELLING.warning(node.json_path, "`meta-data` is an old spelling.", "Name it `meta_data`.")


def check_unknown_fields(output: ToolOutput) -> Iterator[Finding]:
    """Report fields beside ``results`` that the contract does not define. Satchel moves them into ``meta_data``."""
    if "results" not in output.payload.fields:
        return
    misspelled = dict(_misspelled(output.payload))
    for key in output.payload.fields:
        if key not in _ACCEPTED and key not in misspelled:
            json_path = output.payload.json_path + path_step(str(key))
            message = "The contract has no such field, so it is stored in `meta_data`."
            yield KNOWN_FIELDS.warning(json_path, message, "Move it into `results` or `meta_data`.")


def misspelled_results(output: ToolOutput) -> str | None:
    """Return the misspelled field that should be named ``results``, or None.

    ``result`` may also be a field of the tool's own data. It counts as misspelled only if it is the only field that the
    contract does not define, or if the object has contract fields.
    """
    fields = output.payload.fields
    if "results" in fields:
        return None
    others = [str(key) for key in fields if key not in _ACCEPTED]
    return next(
        (
            key
            for key in others
            if _is_similar(key, "results")
            and (output.payload_uses_contract or _letters(key) != "result" or len(others) == 1)
        ),
        None,
    )


def _misspelled(node: Node) -> Iterator[tuple[str, str]]:
    """Yield ``(name, intended_name)`` for each misspelled field, except for a misspelled ``results``."""
    missing = [name for name in FIELD_NAMES if name != "results" and name not in node.fields]
    for key in map(str, node.fields):
        if key not in _ACCEPTED and (intended := _similar_name(key, missing)):
            yield key, intended


def _similar_name(key: str, names: Iterable[str]) -> str | None:
    return next((name for name in names if _is_similar(key, name)), None)


def _is_similar(key: str, name: str) -> bool:
    first, second = _letters(key), _letters(name)
    return abs(len(first) - len(second)) <= 1 and SequenceMatcher(None, first, second).ratio() > _MIN_SIMILARITY


def _letters(key: str) -> str:
    return _NO_LETTERS.sub("", key).casefold()
