"""Bring what a tool made into the store, in bounded memory: paths are streamed, inline content is decoded once.

Find the files that a tool made and named nowhere (spec 3 §2.2): listed for the person, but not put on show.
"""

import io
import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from satchel.contract import (
    Artifact,
    ArtifactProblem,
    DeferredArtifact,
    InvalidArtifact,
    InvalidPath,
    ToolError,
    ToolOutput,
    mime_of,
    safe_name,
)
from satchel.domain.calls import MAX_INLINE_BYTES, StoredFile
from satchel.domain.ids import object_id
from satchel.domain.object_keys import UNKEPT, object_key, tool_directory
from satchel.domain.size_limits import MAX_NAME_CHARS, cut
from satchel.ports.runners import ArtifactOpener, CallOrder, FileState
from satchel.ports.storage import FileStore
from satchel.services.files.artifact_records import place_of

_BYTES = {"b64", "path", "content"}


@dataclass(frozen=True)
class StoreArtifacts:
    """Stores every artifact of one output; a bad one becomes a problem beside the good ones, never a lost result."""

    store: FileStore
    open_artifact: ArtifactOpener
    max_file_bytes: int

    def __call__(
        self, order: CallOrder, workspace: Path | None, output: ToolOutput, made: Sequence[Artifact] = ()
    ) -> tuple[list[StoredFile], list[ArtifactProblem]]:
        """Return what was stored, in the tool's order, and what could not be.

        ``made`` are files besides the output's own: kept and listed, but not put on show.
        """
        stored: list[StoredFile] = []
        problems = list(output.problems)
        declared: list[Artifact | DeferredArtifact] = [*output.artifacts, *output.deferred_artifacts]
        for index, artifact in enumerate([*declared, *made]):
            try:
                file = self._keep(order, workspace, index, artifact)
                stored.append(file.model_copy(update={"declared": index < len(declared)}))
            except ToolError as error:
                problems.append(ArtifactProblem(name=artifact.name, code=error.code, reason=error.message))
            except OSError as error:  # the disk's word, or a directory that the tool took away
                problems.append(ArtifactProblem(name=artifact.name, reason=f"it cannot be read: {error.strerror}"))
        return stored, problems

    def _keep(
        self, order: CallOrder, workspace: Path | None, index: int, artifact: Artifact | DeferredArtifact
    ) -> StoredFile:
        raw_name = cut(artifact.name, MAX_NAME_CHARS)
        name = safe_name(raw_name)  # of what is handed over, or who reads that would look elsewhere
        key = object_key(order.user, place_of(artifact), object_id(order.call_id, index), name)
        with self._open(order, workspace, artifact) as body:
            size = body.seek(0, io.SEEK_END)
            body.seek(0)
            self.store.put(key, body, artifact.mime, UNKEPT)
        return StoredFile(
            object_id=object_id(order.call_id, index),
            key=key,
            name=name,
            raw_name=raw_name,
            mime=artifact.mime,
            size=size,
            index=index,
            deferred=isinstance(artifact, DeferredArtifact),
            inline=_goes_inline(artifact, size),
            artifact=artifact.model_dump(mode="json", exclude=_BYTES, exclude_none=True),
        )

    def _open(
        self,
        order: CallOrder,
        workspace: Path | None,
        artifact: Artifact | DeferredArtifact,
    ) -> AbstractContextManager[IO[bytes]]:
        """A path that comes beside inline content does not count: the bytes are here already."""
        body = artifact.inline_bytes() if isinstance(artifact, Artifact) else None
        if body is not None:
            return nullcontext(io.BytesIO(body))
        if artifact.path is None:
            raise InvalidArtifact(artifact.name, "it is a link, and links are not followed")
        if workspace is None:
            raise InvalidPath(attempted_path=artifact.path, allowed_prefix=tool_directory(order.user))
        return self.open_artifact(artifact.path, workspace, self.max_file_bytes)


def _goes_inline(artifact: Artifact | DeferredArtifact, size: int) -> bool:
    """Text that came as content goes back as content while it is short (spec 5); everything else by link."""
    return isinstance(artifact, Artifact) and artifact.source == "content" and size <= MAX_INLINE_BYTES


MAX_FOUND = 20


def find_made(
    output: ToolOutput, workspace: Path, before: Mapping[str, FileState], after: Mapping[str, FileState]
) -> list[Artifact]:
    """Return an artifact for each file that is new or changed since ``before`` and that ``output`` does not name."""
    named = {a.path for a in output.artifacts if a.path} | {d.path for d in output.deferred_artifacts}
    declared = {
        Path(os.path.normpath(workspace / path)) for path in named
    }  # as it is opened: below home, ``..`` by text
    made = [workspace / path for path, state in sorted(after.items()) if before.get(path) != state]
    undeclared = [path for path in made if path not in declared]
    return [Artifact(name=path.name, path=str(path), mime=mime_of(path.name)) for path in undeclared[:MAX_FOUND]]
