"""Convert the files in a tool's output (artifacts) to stored files, file records and parts of the response.

The types are, in order: ``Artifact`` or ``DeferredArtifact`` (tool output), ``StoredFile`` (report), ``NewFile``
and ``FileRecord`` (database), ``ResponseArtifact`` or ``ResponseDeferred`` (response to the client).
"""

from datetime import datetime, timedelta

from satchel.contract import Artifact, DeferredArtifact, Display, is_showable, safe_name, viewer_for
from satchel.domain.calls import Call, StoredFile
from satchel.domain.file_metadata import read_file_metadata
from satchel.domain.file_metadata.range_reader import RangeReader
from satchel.domain.files import FileRecord, NewFile, Source
from satchel.domain.ids import CallId, UserName, object_id
from satchel.domain.object_keys import object_key
from satchel.domain.responses import ResponseArtifact, ResponseDeferred
from satchel.domain.size_limits import MAX_NAME_CHARS, truncate
from satchel.ports.storage import FileStore

_MAX_REASON_CHARS = 200
_MAX_ACTIONS, _MAX_ACTION_CHARS = 20, 500


def to_stored_file(user: UserName, call_id: CallId, index: int, artifact: Artifact | DeferredArtifact) -> StoredFile:
    """Return the stored file for a call's ``index``-th artifact, with the S3 key under which the runner stores it.

    The id and the key depend only on the arguments, so RecordToolResult can recompute and check the runner's values.
    """
    artifact = artifact.model_copy(update={"name": truncate(artifact.name, MAX_NAME_CHARS)})
    deferred = isinstance(artifact, DeferredArtifact)
    file_id = object_id(call_id, index)
    key = object_key(user, "deferred" if deferred else "artifacts", file_id, safe_name(artifact.name))
    return StoredFile(object_id=file_id, key=key, index=index, deferred=deferred, artifact=artifact)


def to_new_file(call: Call, stored: StoredFile, display: Display | None, size: int, now: datetime) -> NewFile:
    """Return the record to save for a file of ``size`` bytes that a tool call created and RecordToolResult checked.

    If the tool gave the file no category, the record gets the category from the display hint, ``display``.
    """
    artifact = stored.artifact
    new = NewFile(
        object_id=object_id(call.call_id, stored.index),
        key=stored.key,
        user=call.user,
        session_id=call.session_id,
        name=safe_name(artifact.name),
        raw_name=artifact.name,
        mime=artifact.mime,
        size=size,
        source=Source.DEFERRED if stored.deferred else Source.GENERATED,
        origin=call.call_id,
        created_at=now,
        description=artifact.description,
        category=artifact.category or (display.category_hint if display else None),
        temporary=display is not None and display.storage_action == "temporary",
    )
    if isinstance(artifact, Artifact):
        hints = _viewer_hints(artifact, display)
        new.viewer = viewer_for(artifact.mime, new.name, hints) if any(hints) else None
        new.auto_open = artifact.auto_open is True
        new.artifact_id = artifact.id
    else:
        new.expires_at = int((now + lifetime_of(artifact)).timestamp())
        new.reason = artifact.reason and truncate(artifact.reason, _MAX_REASON_CHARS)
        new.next_actions = [truncate(action, _MAX_ACTION_CHARS) for action in artifact.next_actions[:_MAX_ACTIONS]]
    return new


def lifetime_of(artifact: DeferredArtifact) -> timedelta:
    """Return how long a deferred file exists before it expires."""
    return timedelta(hours=artifact.expires_hours)


def _viewer_hints(artifact: Artifact, display: Display | None) -> list[str | None]:
    """Return two viewer hints: the artifact's own, and the one of ``display``. A missing hint is None.

    The hint of ``display`` applies only to the primary file, or to all files if ``display`` sets no primary file.
    """
    applies = display is not None and display.primary_file in {None, artifact.name}
    return [artifact.viewer, display.viewer_hint if display and applies else None]


def to_response(
    artifact: Artifact, record: FileRecord, position: int, display: Display | None = None, *, declared: bool
) -> ResponseArtifact:
    """Return the file's entry in the response. Clients display only files that the tool ``declared`` in its output."""
    return ResponseArtifact(
        id=artifact.id or record.object_id,
        type=artifact.type or record.mime,
        title=artifact.title or record.name,
        position=position,
        name=record.name,
        mime=record.mime,
        size=record.size,
        viewer=viewer_for(record.mime, record.name, _viewer_hints(artifact, display)),
        category=record.category,
        description=record.description,
        language=artifact.language,
        metadata=artifact.metadata,
        showable=declared and is_showable(record.mime, record.name),
        auto_open=record.auto_open,
        file_key=record.file_key,
        version=record.version,
    )


def to_deferred_response(record: FileRecord) -> ResponseDeferred:
    """Return the deferred file's entry in the response, without a download link."""
    return ResponseDeferred(
        name=record.name,
        file_key=record.file_key,
        version=record.version,
        mime=record.mime,
        size=record.size,
        description=record.description,
        reason=record.reason,
        status=record.status,
        next_actions=record.next_actions,
        category=record.category,
        expires_at=record.expiry,
    )


def add_metadata_from_store(store: FileStore, new: NewFile) -> NewFile:
    """Add metadata such as image dimensions, read from parts of the stored file. Raise FileNotFoundError if missing."""
    return _with_metadata(
        new, RangeReader(new.size, lambda first, last: b"".join(store.read_range(new.key, first, last)))
    )


def add_metadata_from_bytes(new: NewFile, body: bytes) -> NewFile:
    """Add metadata such as image dimensions, read from the file's bytes."""
    return _with_metadata(new, RangeReader(len(body), lambda first, last: body[first : last + 1]))


def _with_metadata(new: NewFile, reader: RangeReader) -> NewFile:
    return new.model_copy(update={"info": read_file_metadata(reader, new.mime, new.name)})
