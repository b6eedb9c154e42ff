"""Decide how a model gets the files that the user attached to a message, and the large pictures that tools made.

The model gets pictures and PDF files directly if it accepts them. Satchel prepares the others before the next model
request: it calls tools of the server ``documents``, as if the model had called them. Only these tools decode pictures.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from satchel.domain.conversation import Message, ProposedCall, ToolMessage
from satchel.domain.files import FileRecord
from satchel.domain.ids import SessionId
from satchel.domain.media import MediaRef, media_of
from satchel.domain.media_budget import MediaSupport
from satchel.domain.prompt import sanitize

DOCUMENTS_SERVER = "documents"
"""The name of the server whose tools (``look``, ``read``, ``outline``) prepare files and read long results."""

LOOK = f"{DOCUMENTS_SERVER}.look"
"""The tool that makes a picture small enough for a model."""

MAX_PREPARED = 20
"""Maximum files that are prepared before a model request. The model itself can read the others."""

MAX_READ_BYTES = 60_000
"""Files are read if all read files together are at most this large. The model gets the outline of the others."""

_MAX_NAMED = 20
_SVG = "image/svg+xml"  # a picture that is a text, which ``look`` cannot show
_UNREADABLE = "no tool that reads documents is available"
_TOO_MANY = "too many files are attached. Read them if you need them"


@dataclass
class Attachments:
    """The attached files as ``media`` of the message, and as ``calls`` of tools. ``note`` names the others, if any."""

    media: list[MediaRef] = field(default_factory=list)
    calls: list[ProposedCall] = field(default_factory=list)
    note: str = ""


def plan_attachments(
    records: Sequence[FileRecord], session_id: SessionId, support: MediaSupport, max_tokens: int, *, can_read: bool
) -> Attachments:
    """Decide how the model gets each file. ``can_read``: the user may call the tools of the server ``documents``.

    PDF files that need more than ``max_tokens`` together are read instead, because a request could not show them.
    """
    plan, unread, bytes_left, tokens_left = Attachments(), list[FileRecord](), MAX_READ_BYTES, max_tokens
    for record in records:
        media = media_of(record)
        if media and _is_for_model(media, support, tokens_left if can_read else None):
            plan.media.append(media)
            tokens_left -= support.tokens(media) if media.kind == "document" else 0
        elif not can_read or len(plan.calls) == MAX_PREPARED:
            unread.append(record)
        else:
            is_picture = media is not None and media.kind == "picture" and media.mime != _SVG
            is_small = not is_picture and record.size <= bytes_left
            bytes_left -= record.size if is_small else 0
            tool = "look" if is_picture else "read" if is_small else "outline"
            is_here = record.session_id == session_id  # names are unique within a session
            plan.calls.append(_call(tool, record.name if is_here else record.file_key))
    if unread:
        plan.note = _note([record.name for record in unread], _TOO_MANY if can_read else _UNREADABLE)
    return plan


def _is_for_model(media: MediaRef, support: MediaSupport, max_tokens: int | None) -> bool:
    """Return True if the message refers to the file itself: a note replaces pictures if the model cannot see them."""
    if media.kind == "picture":
        return not support.pictures or support.rejection(media) is None
    return support.rejection(media) is None and (max_tokens is None or support.tokens(media) <= max_tokens)


def plan_views(messages: Sequence[Message], support: MediaSupport) -> list[ProposedCall]:
    """Return the calls that show the model smaller versions of the large pictures in these tool results.

    A picture that only the model sees is not a file, so no tool can open it. Results of the server ``documents`` are
    left out: otherwise, a call could follow each call without end.
    """
    names = [
        picture.name
        for message in messages
        if isinstance(message, ToolMessage) and not message.tool.startswith(f"{DOCUMENTS_SERVER}.")
        for picture in message.media
        if picture.name in message.content.get("files", ()) and support.is_too_large(picture)
    ]
    return [_call("look", name) for name in list(dict.fromkeys(names))[-MAX_PREPARED:]]


def _call(tool: str, name: str) -> ProposedCall:
    return ProposedCall(tool=f"{DOCUMENTS_SERVER}.{tool}", arguments=json.dumps({"filename": name}), ref="")


def _note(names: Sequence[str], reason: str) -> str:
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    listed = ", ".join(map(sanitize, names[:_MAX_NAMED]))
    return f"\n\n[SYSTEM: The user attached these files, but you have not read them, because {reason}: {listed}{more}]"
