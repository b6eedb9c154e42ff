"""Fields must be called as the contract calls them, or nobody finds them (spec 1, common mistakes; spec 3 §1.1)."""

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from local.lint.findings import Clause, Finding, quoted
from local.lint.subject import Node, Subject, step

RESULTS = Clause("v1:results:spelling", "1 Common Mistakes")
FIELDS = Clause("v2.1:fields:spelling", "3 §1.1")
META_DATA = Clause("v1:meta-data:spelling", "1 Common Mistakes")
UNKNOWN = Clause("v2.1:fields:known", "3 §1.1")

KNOWN = (
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
_UNDERSTOOD = {*KNOWN, "meta-data", "problems", "unknown"}
_ALIKE = 0.85
_NO_LETTERS = re.compile(r"[\W_]+")


def misspelt(subject: Subject) -> Iterator[Finding]:
    """Name each field whose name is nearly one of the contract's, where that one is missing."""
    if wrong := misspelt_results(subject):
        where = subject.payload.where + step(wrong)
        yield RESULTS.error(where, f"`results` is misspelt as {quoted(wrong)}.", "Call the field `results`.")
    for node in subject.objects:
        for key, meant in _slips(node):
            message = f"`{meant}` is misspelt as {quoted(key)}, so it is not found."
            yield FIELDS.error(node.where + step(key), message, f"Call the field `{meant}`.")


def meta_data(subject: Subject) -> Iterator[Finding]:
    """Name `meta-data`: an old spelling, still understood."""
    for node in subject.given("meta-data"):
        yield META_DATA.warning(node.where, "`meta-data` is an old spelling.", "Call the field `meta_data`.")


def unknown(subject: Subject) -> Iterator[Finding]:
    """Note fields beside `results` that the contract does not name: neither model nor user sees them."""
    if "results" not in subject.payload.fields:
        return
    slips = dict(_slips(subject.payload))
    for key in subject.payload.fields:
        if key not in _UNDERSTOOD and key not in slips:
            where = subject.payload.where + step(str(key))
            advice = "Put it into `results` or `meta_data`."
            yield UNKNOWN.note(where, "The contract has no such field: nobody is shown it.", advice)


def misspelt_results(subject: Subject) -> str | None:
    """Return the field that is meant to be `results`.

    `result` is a good word for a tool's own data: alone, or beside fields of the contract, it is none.
    """
    node = subject.payload
    fields = node.fields
    if "results" in fields:
        return None
    others = [str(key) for key in fields if key not in _UNDERSTOOD]
    slips = [key for key in others if _is_like(key, "results")]
    speaks = any(one.value is node.value for one in subject.objects)
    sure = [key for key in slips if speaks or _bare(key) != "result" or len(others) == 1]
    return sure[0] if sure else None


def _slips(node: Node) -> Iterator[tuple[str, str]]:
    """Give each field with the name that it was meant to have; `results` apart."""
    absent = [name for name in KNOWN if name != "results" and name not in node.fields]
    for key in map(str, node.fields):
        if key not in _UNDERSTOOD and (meant := _nearest(key, absent)):
            yield key, meant


def _nearest(key: str, names: Iterable[str]) -> str | None:
    return next((name for name in names if _is_like(key, name)), None)


def _is_like(key: str, name: str) -> bool:
    one, other = _bare(key), _bare(name)
    return abs(len(one) - len(other)) <= 1 and SequenceMatcher(None, one, other).ratio() > _ALIKE


def _bare(key: str) -> str:
    return _NO_LETTERS.sub("", key).casefold()
