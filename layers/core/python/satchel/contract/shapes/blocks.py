"""Images, audio, embedded resources and resource links among the content blocks become artifacts."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from satchel.contract.media import UNKNOWN, extension_of, mime_of
from satchel.contract.names import safe_name, split_extension
from satchel.contract.shapes.answer import Block, is_text
from satchel.contract.shapes.draft import Draft

_QUERY = re.compile(r"[?#]")
_LOCAL = "file://"


def take(content: Sequence[Block], used: Sequence[Block], draft: Draft) -> None:
    """Add an artifact for every block that carries or names a file; set aside what is not that nor ``used`` text."""
    aside: list[Mapping[str, Any]] = []
    for number, block in enumerate(content, start=1):
        reader = _READERS.get(str(block.get("type")))
        if reader is not None:
            draft.add(reader(block, number), f"{block['type']} {number}")
            continue
        if is_text(block):
            _add_facts(block, draft)
        if not any(block is known for known in used):
            aside.append(block)
    if aside:
        draft.set_aside({"content": aside})


def _add_facts(block: Block, draft: Draft) -> None:
    """Facts about a text (spec 5: ``metadata`` in a content block) are facts about the result."""
    if isinstance(facts := block.get("metadata"), Mapping):
        draft.add_facts(facts)


def _media(block: Block, number: int) -> dict[str, Any]:
    mime = block.get("mimeType") or block.get("mime_type") or UNKNOWN
    name = f"{block['type']}-{number}{extension_of(str(mime), default='.bin')}"
    return {"name": name, "mime": mime, "b64": block.get("data"), "metadata": block.get("metadata")}


def _resource(block: Block, number: int) -> dict[str, Any]:
    resource = block.get("resource")
    if not isinstance(resource, Mapping):
        return {"name": f"resource-{number}"}
    name, mime = _name_and_mime(resource, number, "text/plain" if resource.get("blob") is None else UNKNOWN)
    return {"name": name, "mime": mime, "b64": resource.get("blob"), "content": resource.get("text")}


def _link(block: Block, number: int) -> dict[str, Any]:
    name, mime = _name_and_mime(block, number, UNKNOWN)
    uri = str(block.get("uri") or "")
    if uri and not uri.startswith(("data:", _LOCAL)):
        return _address(uri, name, block)
    place = {"path": unquote(uri.removeprefix(_LOCAL))} if uri.startswith(_LOCAL) else {"b64": uri or None}
    described = {key: block.get(key) for key in ("title", "description", "size")}
    return {"name": name, "mime": mime, **described, **place}


def _address(uri: str, name: str, block: Block) -> dict[str, Any]:
    """Make a file of the address itself: fetching it would send our requests wherever a tool wants them to go."""
    return {
        "name": f"{name}.link.txt",
        "mime": "text/uri-list",
        "content": uri,
        "uri": uri,
        "title": block.get("title") or name,
        "description": block.get("description"),
        "metadata": {key: block[key] for key in ("mimeType", "size") if block.get(key) is not None} or None,
    }


def _name_and_mime(resource: Mapping[str, Any], number: int, default: str) -> tuple[str, str]:
    uri = str(resource.get("uri") or "")
    last = "" if uri.startswith("data:") else unquote(_QUERY.split(uri)[0].rstrip("/").rpartition("/")[2])
    name = str(resource.get("name") or last or f"resource-{number}")
    by_name = [kind for kind in (mime_of(safe_name(name)), mime_of(safe_name(last))) if kind != UNKNOWN]
    mime = str(resource.get("mimeType") or resource.get("mime_type") or next(iter(by_name), default))
    bare = mime == UNKNOWN or split_extension(safe_name(name))[1]
    return (name if bare else name + extension_of(mime)), mime


_READERS: dict[str, Callable[[Block, int], dict[str, Any]]] = {
    "image": _media,
    "audio": _media,
    "resource": _resource,
    "resource_link": _link,
}
