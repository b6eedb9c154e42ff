"""Stream a tool call's files to S3, including new files in the workspace that the tool's output does not name."""

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
    ErrorCode,
    InvalidArtifact,
    InvalidPath,
    ToolError,
    ToolOutput,
    scrub_text,
)
from satchel.contract.binary_types import HEAD_BYTES, guess_mime
from satchel.contract.media_types import UNKNOWN
from satchel.domain.calls import MAX_INLINE_BYTES, StoredFile
from satchel.domain.object_keys import UNCLAIMED_TAGS, tool_directory
from satchel.domain.size_limits import MAX_FILES
from satchel.ports.runners import ArtifactOpener, CallOrder, FileState
from satchel.ports.storage import FileStore
from satchel.services.files.artifact_records import to_stored_file

MAX_UNDECLARED = 20
_TOO_MANY = f"not stored: a call can return at most {MAX_FILES} files"


@dataclass(frozen=True)
class StoreArtifacts:
    """Store the files of a tool's output. A file that cannot be stored is reported, but does not fail the call."""

    store: FileStore
    open_artifact: ArtifactOpener
    max_file_bytes: int

    def __call__(
        self, order: CallOrder, workspace: Path | None, output: ToolOutput, undeclared: Sequence[Artifact] = ()
    ) -> tuple[list[StoredFile], list[ArtifactProblem]]:
        """Store the files of ``output``, then ``undeclared``. Return stored files, and the problems of other files.

        At most ``MAX_FILES`` files are stored, and none of a failed call, because they may be incomplete.
        """
        stored: list[StoredFile] = []
        problems = list(output.problems)
        declared: list[Artifact | DeferredArtifact] = [*output.artifacts, *output.deferred_artifacts]
        if output.is_error:
            return [], [*problems, *(_not_stored(artifact) for artifact in [*declared, *undeclared])]
        artifacts = [*declared, *undeclared]
        problems += [ArtifactProblem(name=artifact.name, reason=_TOO_MANY) for artifact in artifacts[MAX_FILES:]]
        for index, artifact in enumerate(artifacts[:MAX_FILES]):
            try:
                file = self._store(order, workspace, index, artifact)
                stored.append(file.model_copy(update={"declared": index < len(declared)}))
            except ToolError as error:
                problems.append(ArtifactProblem(name=artifact.name, code=error.code, reason=error.message))
            except OSError as error:  # for example a disk error, or a directory that the tool removed
                reason = f"The file cannot be read: {error.strerror}"
                problems.append(ArtifactProblem(name=artifact.name, reason=reason))
        return stored, problems

    def _store(
        self, order: CallOrder, workspace: Path | None, index: int, artifact: Artifact | DeferredArtifact
    ) -> StoredFile:
        file = to_stored_file(order.user, order.call_id, index, artifact)
        with self._open(order, workspace, artifact) as body:
            head = body.read(HEAD_BYTES)
            size = body.seek(0, io.SEEK_END)
            body.seek(0)
            if artifact.mime == UNKNOWN and "mime" not in artifact.model_fields_set:
                artifact = artifact.model_copy(update={"mime": guess_mime(head)})
                file = to_stored_file(order.user, order.call_id, index, artifact)
            self.store.put(file.key, body, artifact.mime, UNCLAIMED_TAGS)
        return file.model_copy(update={"inline": _is_inline(artifact, size)})

    def _open(
        self, order: CallOrder, workspace: Path | None, artifact: Artifact | DeferredArtifact
    ) -> AbstractContextManager[IO[bytes]]:
        """Open the content of an artifact. Inline content takes precedence over a path."""
        body = artifact.inline_bytes() if isinstance(artifact, Artifact) else None
        if body is not None:
            return nullcontext(io.BytesIO(body))
        if artifact.path is None:
            raise InvalidArtifact(artifact.name, "its source is a link, and links are not followed")
        if workspace is None:
            raise InvalidPath(artifact.path, tool_directory(order.user) if order.writes else None)
        return self.open_artifact(artifact.path, workspace, self.max_file_bytes)


def _not_stored(artifact: Artifact | DeferredArtifact) -> ArtifactProblem:
    reason = "not stored, because the call failed"
    return ArtifactProblem(name=artifact.name, code=ErrorCode.E_TOOL_FAILED, reason=reason)


def _is_inline(artifact: Artifact | DeferredArtifact, size: int) -> bool:
    """Return True if responses contain the file's text: the tool returned it as ``content``, and it is short."""
    return isinstance(artifact, Artifact) and artifact.source == "content" and size <= MAX_INLINE_BYTES


def find_undeclared_artifacts(
    output: ToolOutput, workspace: Path, before: Mapping[str, FileState], after: Mapping[str, FileState]
) -> list[Artifact]:
    """Return artifacts for new or changed files that ``output`` does not name (clause v2.1:output:detected)."""
    paths = {a.path for a in output.artifacts if a.path} | {d.path for d in output.deferred_artifacts}
    # Like ``open_artifact``, interpret paths relative to the workspace, and remove ".." without following links.
    declared = {Path(os.path.normpath(workspace / path)) for path in paths}
    changed = [workspace / path for path, state in sorted(after.items()) if before.get(path) != state]
    undeclared = [path for path in changed if path not in declared][:MAX_UNDECLARED]
    return [Artifact(name=scrub_text(path.name), path=str(path)) for path in undeclared]
