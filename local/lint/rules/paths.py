"""Files lie in the one directory that is the person's: /tmp/{username}/ (spec 3 §5.1, §6.1, §10.1)."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from pydantic import TypeAdapter, ValidationError

from local.lint.findings import Clause, Finding, quoted
from local.lint.subject import Node, Run, Subject
from satchel.adapters.safe_open import open_artifact
from satchel.contract.errors import InvalidArtifact, ToolError
from satchel.domain.ids import UserName
from satchel.domain.places import tool_directory

INSIDE = Clause("v2.1:artifacts:path-inside", "3 §5.1")
EXISTS = Clause("v2.1:artifacts:path-exists", "3 §6.2")
REGULAR = Clause("v2.1:artifacts:path-regular", "3 §5.1")

_USER_NAME: TypeAdapter[str] = TypeAdapter(UserName)
_ABOVE = ("/", "tmp")


def paths_lead_to_files(subject: Subject) -> Iterator[Finding]:
    """Name paths outside of the directory; and, where the tool was run, those inside that lead to no file."""
    for node in (*subject.artifacts, *subject.deferred):
        path = node.get("path")
        if path is None or not isinstance(path.value, str):
            continue
        if not _is_inside(path.value, subject.run):
            yield _outside(path, subject.run)
        elif subject.run.home is not None:
            yield from _not_there(path, subject.run.home)


def _is_inside(path: str, run: Run) -> bool:
    steps = PurePosixPath(os.path.normpath(path)).parts
    root, file = steps[: len(_ABOVE)], steps[len(_ABOVE) + 1 :]
    return root == _ABOVE and bool(file) and _is_user(steps[len(_ABOVE)], run) and "\0" not in path


def _is_user(name: str, run: Run) -> bool:
    if run.user is not None:
        return name == run.user
    try:
        _USER_NAME.validate_python(name)
    except ValidationError:
        return False
    return True


def _outside(path: Node, run: Run) -> Finding:
    directory = tool_directory(run.user or "{username}")
    if "{" in path.value:
        advice = 'A name in braces was not filled in: write f"/tmp/{username}/…", with the f.'
    else:
        advice = 'Write the file to f"/tmp/{username}/…"; the tool is given `username` if it declares it.'
    return INSIDE.error(path.where, f"{quoted(path.value)} is not inside {directory}.", advice)


def _not_there(path: Node, home: Path) -> Iterator[Finding]:
    try:
        with open_artifact(path.value, home, sys.maxsize):
            return
    except InvalidArtifact:
        message = f"There is no file {quoted(path.value)}."
        yield EXISTS.error(path.where, message, "Write the file, and close it, before the tool returns.")
    except ToolError:
        message = f"{quoted(path.value)} is not a regular file of its own."
        yield REGULAR.error(path.where, message, "Write a plain file: no link, no directory.")
