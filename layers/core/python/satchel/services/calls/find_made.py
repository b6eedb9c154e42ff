"""Find the files that a tool made and named nowhere (spec 3 §2.2): listed for the person, but not put on show."""

import os
from collections.abc import Mapping
from pathlib import Path

from satchel.contract import Artifact, ToolOutput, mime_of
from satchel.ports.runners import FileState

MOST_FOUND = 20


def find_made(
    output: ToolOutput, home: Path, before: Mapping[str, FileState], after: Mapping[str, FileState]
) -> list[Artifact]:
    """Return an artifact for each file that is new or changed since ``before`` and that ``output`` does not name."""
    named = {a.path for a in output.artifacts if a.path} | {d.path for d in output.deferred_artifacts}
    declared = {Path(os.path.normpath(home / path)) for path in named}  # as it is opened: below home, ``..`` by text
    made = [home / path for path, state in sorted(after.items()) if before.get(path) != state]
    undeclared = [path for path in made if path not in declared]
    return [Artifact(name=path.name, path=str(path), mime=mime_of(path.name)) for path in undeclared[:MOST_FOUND]]
