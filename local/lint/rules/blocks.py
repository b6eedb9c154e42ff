"""Content blocks that are files: images, audio, embedded resources and resource links become artifacts."""

from collections.abc import Iterator

from local.lint.findings import Clause, Finding
from local.lint.rules.encoding import ENCODE, base64_fault
from local.lint.subject import Node, Subject
from satchel.contract.shapes import content_blocks
from satchel.contract.shapes.output_builder import OutputBuilder

BASE64 = Clause("mcp:content:base64", "1 FastMCP Integration Notes")
BYTES = Clause("mcp:content:bytes", "1 FastMCP Integration Notes")


def blocks_are_files(subject: Subject) -> Iterator[Finding]:
    """Name blocks of which no file can be made: the bytes are no base64, or there are none."""
    for block in subject.blocks:
        encoded = _encoded(block)
        if encoded and (why := base64_fault(encoded.value)):
            yield BASE64.error(encoded.where, f"This is not base64: {why}.", ENCODE)
        elif why := _problem(block):
            message = f"No file can be made of this block: {why}."
            yield BYTES.error(block.where, message, "Give the block what its type asks for.")


def _encoded(block: Node) -> Node | None:
    if block.text("type") == "resource":
        resource = block.get("resource")
        return resource.get("blob") if resource else None
    return block.get("data") if block.text("type") in {"image", "audio"} else None


def _problem(block: Node) -> str | None:
    """Make the artifact, as the normaliser will, and return why it cannot be kept."""
    builder = OutputBuilder()
    content_blocks.extract_artifacts([block.value], [], builder)
    return next((problem.reason for problem in builder.fields.get("problems", [])), None)
