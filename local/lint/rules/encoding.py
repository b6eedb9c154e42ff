"""What is said to be base64 must be base64 (spec 1; spec 2 §1; spec 3 §6.1), in the strictest sense."""

import re
from collections.abc import Iterator

from local.lint.findings import Clause, Finding, quoted
from local.lint.rules.v1_arrays import inline_contents
from local.lint.subject import Subject
from satchel.contract import base64

BASE64 = Clause("v2:artifacts:b64", "2 §1")
V1_BASE64 = Clause("v1:files:b64", "1 Optional Fields")

ENCODE = "Encode the bytes: base64.b64encode(data).decode()."
_PYTHON_BYTES = re.compile(r"b(['\"]).*\1", re.DOTALL)
_WRONG = re.compile(r"[^A-Za-z0-9+/=]")
# What examples write in the place of base64, those of the specifications first of all: <base64>, PGh0bWw+PGhlYWQ+...
_PLACEHOLDER = re.compile(r"<(?:b64|base64)>|[A-Za-z0-9+/]{4,64}(?:\.\.\.|…)", re.IGNORECASE)


def base64_is_base64(subject: Subject) -> Iterator[Finding]:
    """Name every text that does not decode, and why; in an example that was written down, note what stands for one."""
    contents = [
        *((BASE64, found) for node in subject.artifacts if (found := node.get("b64"))),
        *((V1_BASE64, node) for node in inline_contents(subject)),
    ]
    for clause, node in contents:
        if subject.run.home is None and _is_placeholder(node.value):
            yield clause.note(node.where, f"{quoted(node.value)} stands for base64 that is not there.", ENCODE)
        elif why := base64_fault(node.value):
            yield clause.error(node.where, f"This is not base64: {why}.", ENCODE)


def base64_fault(value: object) -> str | None:
    """Say why a value is not base64; None if it is."""
    if not isinstance(value, str):
        return f"{quoted(value)} is not a text"
    try:
        base64.validate(value)
    except base64.Base64Error as error:
        return _reason(value, str(error))
    return None


def _is_placeholder(value: object) -> bool:
    return isinstance(value, str) and _PLACEHOLDER.fullmatch(value) is not None


def _reason(text: str, said: str) -> str:
    """Say what is wrong, the likeliest mistake first; else what the decoder said."""
    try:
        body = base64.canonicalize(text)
    except base64.Base64Error:
        return said
    return next((why for reason in _REASONS if (why := reason(body))), said.removeprefix("not base64: "))


def _python_bytes(body: str) -> str | None:
    return "it is Python's b'…', bytes that were made a text by str()" if _PYTHON_BYTES.fullmatch(body) else None


def _strange_character(body: str) -> str | None:
    wrong = _WRONG.search(body)
    if wrong is None:
        return None
    if wrong[0] in "-_" and not _WRONG.search(body.replace("-", "").replace("_", "")):
        return "it is of the URL-safe alphabet (- and _), not of the standard one (+ and /)"
    return f"the character {quoted(wrong[0])} at {wrong.start()} is not of its alphabet"


def _padding(body: str) -> str | None:
    if "=" in body.rstrip("="):
        return "there is padding (=) before the end"
    if len(body) % 4:
        return f"its length, {len(body)}, is not a multiple of four: the padding is missing, or it was cut off"
    return None


_REASONS = (_python_bytes, _strange_character, _padding)
