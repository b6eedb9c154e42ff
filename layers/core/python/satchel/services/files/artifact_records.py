"""What is known of a file that a tool made: as the tool said it, as the record keeps it, as the response shows it.

Read what a file says of itself before it becomes a file: from the store a few ranges of it, whatever its size.
"""

from datetime import datetime, timedelta
from typing import Any

from pydantic import ValidationError

from satchel.contract import Artifact, DeferredArtifact, InvalidArtifact, is_showable, viewer_for
from satchel.domain.calls import StoredFile
from satchel.domain.file_metadata import read_file_metadata
from satchel.domain.file_metadata.range_reader import RangeReader
from satchel.domain.files import FileRecord, NewFile, Source
from satchel.domain.object_keys import Kind
from satchel.domain.responses import ResponseArtifact, ResponseDeferred
from satchel.domain.size_limits import MAX_NAME_CHARS, cut, plain
from satchel.ports.storage import FileStore

_MAX_REASON_CHARS = 200
_MAX_ACTIONS, _MAX_ACTION_CHARS = 20, 500
_MAX_SAID_CHARS = 20_000  # of each text; all of a call together is bounded where it is kept


def parse_artifact(stored: StoredFile) -> Artifact | DeferredArtifact:
    """What the tool said of its file, read again as if it came from the tool: the runner may have written anything."""
    told = plain(stored.artifact, _MAX_SAID_CHARS) | {
        "name": cut(stored.raw_name, MAX_NAME_CHARS),
        "mime": stored.mime,
        "path": stored.key,
    }
    try:
        return DeferredArtifact.model_validate(told) if stored.deferred else Artifact.model_validate(told)
    except ValidationError as error:
        raise InvalidArtifact(stored.raw_name, "what is said of it is no artifact") from error


def place_of(said: Artifact | DeferredArtifact) -> Kind:
    """Return among which files of a person it is stored."""
    return "deferred" if isinstance(said, DeferredArtifact) else "artifacts"


def kind_of_file(said: Artifact | DeferredArtifact, now: datetime) -> dict[str, Any]:
    """Return what a record says of a file besides: where it comes from, how it is shown, when it expires."""
    if isinstance(said, Artifact):
        return {"source": Source.GENERATED, "viewer": said.viewer, "auto_open": said.auto_open is True}
    return {
        "source": Source.DEFERRED,
        "expires_at": int((now + timedelta(hours=said.expires_hours)).timestamp()),
        "reason": said.reason and cut(said.reason, _MAX_REASON_CHARS),
        "next_actions": [cut(action, _MAX_ACTION_CHARS) for action in said.next_actions[:_MAX_ACTIONS]],
    }


def to_response(said: Artifact, record: FileRecord, position: int, *, shown: bool) -> ResponseArtifact:
    """Return a file as the response shows it; ``shown`` is false for one that its tool named nowhere."""
    return ResponseArtifact(
        id=said.id or record.file_key,
        type=said.type or record.mime,
        title=said.title or record.name,
        position=position,
        name=record.name,
        mime=record.mime,
        size=record.size,
        viewer=viewer_for(record.mime, record.name, said.viewer),
        category=record.category,
        description=record.description,
        language=said.language,
        metadata=said.metadata,
        showable=shown and is_showable(record.mime, record.name),
        auto_open=record.auto_open,
        file_key=record.file_key,
        version=record.version,
    )


def to_deferred_response(said: DeferredArtifact, record: FileRecord) -> ResponseDeferred:
    """Return a waiting file as the response shows it (spec 3 §7)."""
    return ResponseDeferred(
        name=record.name,
        file_key=record.file_key,
        version=record.version,
        mime=record.mime,
        size=record.size,
        description=record.description,
        reason=said.reason,
        next_actions=said.next_actions,
        category=record.category,
        expires_at=record.expires_at,
    )


def look_into_stored(store: FileStore, new: NewFile) -> NewFile:
    """Return a file whose bytes are in the store with its facts. Raises FileNotFoundError where they are not."""
    return _told(new, RangeReader(new.size, lambda first, last: b"".join(store.chunks(new.key, first, last))))


def look_into_bytes(new: NewFile, body: bytes) -> NewFile:
    """Return a file whose bytes are at hand with its facts."""
    return _told(new, RangeReader(len(body), lambda first, last: body[first : last + 1]))


def _told(new: NewFile, peek: RangeReader) -> NewFile:
    return new.model_copy(update={"info": read_file_metadata(peek, new.mime, new.name)})
