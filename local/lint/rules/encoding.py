"""Lint rules for base64, which must be valid in artifacts, in the file arrays of contract v1 and in content blocks."""

import re
from collections.abc import Iterator

from local.lint.findings import Clause, Finding, quoted
from local.lint.rules.files import array_contents
from local.lint.tool_output import Node, ToolOutput
from satchel.contract import base64
from satchel.contract.binary_types import decode_content, is_binary
from satchel.contract.shapes import content_blocks
from satchel.contract.shapes.output_builder import OutputBuilder

ARTIFACT_BASE64 = Clause("v2:artifacts:b64", "2 §1")
ARRAY_BASE64 = Clause("v1:files:b64", "1 Optional Fields")
CONTENT_FITS = Clause("v5:artifacts:content-fits-type", "5 Best Practices")
BLOCK_BASE64 = Clause("mcp:content:base64", "1 FastMCP Integration Notes")
BLOCK_BYTES = Clause("mcp:content:bytes", "1 FastMCP Integration Notes")

_ENCODE = "Encode the bytes: base64.b64encode(data).decode()."
_PYTHON_BYTES = re.compile(r"b(['\"]).*\1", re.DOTALL)
_INVALID_CHAR = re.compile(r"[^A-Za-z0-9+/=]")
# Placeholders that documentation shows instead of base64: <base64>, PGh0bWw+PGhlYWQ+...
_PLACEHOLDER = re.compile(r"<(?:b64|base64)>|[A-Za-z0-9+/]{4,64}(?:\.\.\.|…)", re.IGNORECASE)


def check_base64(output: ToolOutput) -> Iterator[Finding]:
    """Report each field with invalid base64, and why. In a saved output, a placeholder for base64 is only a note."""
    contents = [
        *((ARTIFACT_BASE64, b64) for node in output.artifacts if (b64 := node.get("b64"))),
        *((ARRAY_BASE64, node) for node in array_contents(output)),
    ]
    for clause, node in contents:
        if output.context.home is None and _is_placeholder(node.value):
            yield clause.note(node.json_path, f"{quoted(node.value)} is a placeholder, not base64.", _ENCODE)
        elif reason := _base64_error(node.value):
            yield clause.error(node.json_path, f"This is not base64: {reason}.", _ENCODE)


def check_typed_content(output: ToolOutput) -> Iterator[Finding]:
    """Report an artifact of a binary type (such as PNG) whose content is not base64 of a file of that type."""
    for node in output.artifacts:
        content, mime = node.get("content"), node.text("mime") or node.text("type") or ""
        if content is None or node.get("b64") or node.get("path") or not is_binary(mime):
            continue
        try:
            decode_content(mime, content.value if isinstance(content.value, str) else "{}")
        except ValueError as error:
            message = f"{str(error)[:1].upper()}{str(error)[1:]}."
            yield CONTENT_FITS.error(content.json_path, message, _ENCODE)


def check_content_blocks(output: ToolOutput) -> Iterator[Finding]:
    """Report image, audio and resource blocks that yield no file, because their bytes are missing or not base64."""
    for block in output.blocks:
        encoded = _encoded_bytes(block)
        if encoded and (reason := _base64_error(encoded.value)):
            yield BLOCK_BASE64.error(encoded.json_path, f"This is not base64: {reason}.", _ENCODE)
        elif reason := _conversion_error(block):
            message = f"This block cannot be converted to a file: {reason}."
            yield BLOCK_BYTES.error(block.json_path, message, "Add the fields that the block's type requires.")


def _encoded_bytes(block: Node) -> Node | None:
    if block.text("type") == "resource":
        resource = block.get("resource")
        return resource.get("blob") if resource else None
    return block.get("data") if block.text("type") in {"image", "audio"} else None


def _conversion_error(block: Node) -> str | None:
    """Convert a content block to a file as Satchel's normalizer does. Return the error, or None on success."""
    builder = OutputBuilder()
    content_blocks.extract_artifacts([block.value], [], builder)
    return next((problem.reason for problem in builder.fields.get("problems", [])), None)


def _base64_error(value: object) -> str | None:
    """Return why a value is not valid base64, or None if the value is valid."""
    if not isinstance(value, str):
        return f"{quoted(value)} is not a string"
    try:
        base64.validate(value)
    except base64.Base64Error as error:
        return _likely_reason(value, str(error))
    return None


def _is_placeholder(value: object) -> bool:
    return isinstance(value, str) and _PLACEHOLDER.fullmatch(value) is not None


def _likely_reason(text: str, decoder_error: str) -> str:
    """Return the most likely mistake in the invalid base64, or the decoder's error if no known mistake is found."""
    try:
        body = base64.canonicalize(text)
    except base64.Base64Error:
        return decoder_error
    return next((reason for check in _CHECKS if (reason := check(body))), decoder_error.removeprefix("not base64: "))


def _python_bytes(body: str) -> str | None:
    return "it is the str() of Python bytes, b'…'" if _PYTHON_BYTES.fullmatch(body) else None


def _invalid_character(body: str) -> str | None:
    match = _INVALID_CHAR.search(body)
    if match is None:
        return None
    if match[0] in "-_" and not _INVALID_CHAR.search(body.replace("-", "").replace("_", "")):
        return "it uses the URL-safe alphabet (- and _) instead of the standard one (+ and /)"
    return f"the character {quoted(match[0])} at position {match.start()} is not in the base64 alphabet"


def _wrong_padding(body: str) -> str | None:
    if "=" in body.rstrip("="):
        return "there is padding (=) before the end"
    if len(body) % 4:
        return f"its length, {len(body)}, is not a multiple of four: the padding is missing, or the text was cut off"
    return None


_CHECKS = (_python_bytes, _invalid_character, _wrong_padding)
