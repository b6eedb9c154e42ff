"""What is known of a file that a tool made: as the tool said it, as the record keeps it, as the response shows it."""

from datetime import datetime, timedelta
from typing import Any

from pydantic import ValidationError

from satchel.contract import Artifact, DeferredArtifact, InvalidArtifact, is_showable, viewer_for
from satchel.domain.bounds import MOST_NAME_CHARS, cut, plain
from satchel.domain.calls import StoredFile
from satchel.domain.files import FileRecord, Source
from satchel.domain.places import Kind
from satchel.domain.responses import ResponseArtifact, ResponseDeferred

_MOST_REASON_CHARS = 200
_MOST_ACTIONS, _MOST_ACTION_CHARS = 20, 500
_MOST_SAID_CHARS = 20_000  # of each text; all of a call together is bounded where it is kept


def what_was_said(stored: StoredFile) -> Artifact | DeferredArtifact:
    """What the tool said of its file, read again as if it came from the tool: the runner may have written anything."""
    told = plain(stored.artifact, _MOST_SAID_CHARS) | {
        "name": cut(stored.raw_name, MOST_NAME_CHARS),
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
        "reason": said.reason and cut(said.reason, _MOST_REASON_CHARS),
        "next_actions": [cut(action, _MOST_ACTION_CHARS) for action in said.next_actions[:_MOST_ACTIONS]],
    }


def shown_artifact(said: Artifact, record: FileRecord, position: int, *, shown: bool) -> ResponseArtifact:
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


def shown_deferred(said: DeferredArtifact, record: FileRecord) -> ResponseDeferred:
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
