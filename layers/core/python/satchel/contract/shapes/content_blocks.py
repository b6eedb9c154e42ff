"""Convert MCP content blocks that contain files (images, audio, resources, resource links) to artifacts."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from satchel.contract.file_names import safe_name, split_extension
from satchel.contract.media_types import UNKNOWN, extension_of, mime_of
from satchel.contract.shapes.mcp_result import Block, is_text
from satchel.contract.shapes.output_builder import OutputBuilder

_QUERY = re.compile(r"[?#]")
_FILE_SCHEME = "file://"


def extract_artifacts(content: Sequence[Block], used_blocks: Sequence[Block], builder: OutputBuilder) -> None:
    """Add an artifact to the builder for each MCP content block with a file or link, and add text blocks' ``metadata``.

    Add all other blocks to the builder's ``unknown``, except ``used_blocks``, whose data are already in the payload.
    """
    leftovers: list[Mapping[str, Any]] = []
    for number, block in enumerate(content, start=1):
        convert = _CONVERTERS.get(str(block.get("type")))
        if convert is not None:
            builder.add_artifact(convert(block, number), f"{block['type']} {number}")
            continue
        if is_text(block) and isinstance(metadata := block.get("metadata"), Mapping):
            builder.add_meta_data(metadata)
        if not any(block is used for used in used_blocks):
            leftovers.append(block)
    if leftovers:
        builder.add_unknown({"content": leftovers})


def _convert_media(block: Block, number: int) -> dict[str, Any]:
    mime = block.get("mimeType") or block.get("mime_type") or UNKNOWN
    name = f"{block['type']}-{number}{extension_of(str(mime), default='.bin')}"
    annotations = block.get("annotations")
    audience = annotations.get("audience") if isinstance(annotations, Mapping) else None
    return {
        "name": name,
        "mime": mime,
        "b64": block.get("data"),
        "metadata": block.get("metadata"),
        "audience": "assistant" if audience == ["assistant"] and block["type"] == "image" else None,
    }


def _convert_resource(block: Block, number: int) -> dict[str, Any]:
    resource = block.get("resource")
    if not isinstance(resource, Mapping):
        return {"name": f"resource-{number}"}
    name, mime = _derive_name_and_mime(resource, number, "text/plain" if resource.get("blob") is None else UNKNOWN)
    description = {key: resource.get(key) for key in ("title", "description")}
    return {"name": name, "mime": mime, "b64": resource.get("blob"), "content": resource.get("text"), **description}


def _convert_link(block: Block, number: int) -> dict[str, Any]:
    name, mime = _derive_name_and_mime(block, number, UNKNOWN)
    uri = str(block.get("uri") or "")
    if uri and not uri.startswith(("data:", _FILE_SCHEME)):
        return _to_link_file(uri, name, block)
    source = {"path": unquote(uri.removeprefix(_FILE_SCHEME))} if uri.startswith(_FILE_SCHEME) else {"b64": uri or None}
    description = {key: block.get(key) for key in ("title", "description", "size")}
    return {"name": name, "mime": mime, **description, **source}


def _to_link_file(uri: str, name: str, block: Block) -> dict[str, Any]:
    """Return a text file that contains the URL. Never fetch the URL: tools could use that for SSRF."""
    return {
        "name": f"{name}.link.txt",
        "mime": "text/uri-list",
        "content": uri,
        "uri": uri,
        "title": block.get("title") or name,
        "description": block.get("description"),
        "metadata": {key: block[key] for key in ("mimeType", "size") if block.get(key) is not None} or None,
    }


def _derive_name_and_mime(resource: Mapping[str, Any], number: int, default: str) -> tuple[str, str]:
    uri = str(resource.get("uri") or "")
    path = "" if uri.startswith("data:") else unquote(_QUERY.split(uri)[0].partition("://")[2] or uri).rstrip("/")
    parent, _, last_segment = path.rpartition("/")
    if not split_extension(safe_name(last_segment))[1]:
        # Keep ``text/1`` and ``blob/1`` apart: such a last segment is a number or an id rather than a name.
        last_segment = "-".join(filter(None, [parent.rpartition("/")[2], last_segment]))
    name = str(resource.get("name") or last_segment or f"resource-{number}")
    guesses = [kind for kind in (mime_of(safe_name(name)), mime_of(safe_name(last_segment))) if kind != UNKNOWN]
    mime = str(resource.get("mimeType") or resource.get("mime_type") or next(iter(guesses), default))
    is_complete = mime == UNKNOWN or split_extension(safe_name(name))[1]
    return (name if is_complete else name + extension_of(mime)), mime


_CONVERTERS: dict[str, Callable[[Block, int], dict[str, Any]]] = {
    "image": _convert_media,
    "audio": _convert_media,
    "resource": _convert_resource,
    "resource_link": _convert_link,
}
