"""Lint rules for files: paths must be inside /tmp/{username}/, and the two file arrays of contract v1 must match."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from pydantic import TypeAdapter, ValidationError

from local.lint.findings import Clause, Finding, quoted
from local.lint.tool_output import CallContext, Node, ToolOutput
from satchel.adapters.workspace_files import open_artifact
from satchel.contract.errors import InvalidArtifact, ToolError
from satchel.domain.ids import UserName
from satchel.domain.object_keys import tool_directory

PATH_INSIDE = Clause("v2.1:artifacts:path-inside", "3 §5.1")
PATH_EXISTS = Clause("v2.1:artifacts:path-exists", "3 §6.2")
PATH_REGULAR = Clause("v2.1:artifacts:path-regular", "3 §5.1")
SAME_LENGTH = Clause("v1:files:same-length", "1 Implementation Checklist")
ARRAY_NAMES = Clause("v1:files:names", "1 Optional Fields")
ARRAY_CONTENT = Clause("v1:files:content", "1 Optional Fields")
ARTIFACTS_WIN = Clause("v2:files:artifacts-win", "2 §1")
PHASED_OUT = Clause("v2:files:phased-out", "2 §1")

_USER_NAME: TypeAdapter[UserName] = TypeAdapter(UserName)
_PARENT = ("/", "tmp")
_NAMES = "returned_file_names"
_CONTENTS = "returned_file_contents"


def check_paths(output: ToolOutput) -> Iterator[Finding]:
    """Report paths outside of the user's directory. If lint called the tool, also report paths of missing files."""
    for node in (*output.artifacts, *output.deferred):
        path = node.get("path")
        if path is None or not isinstance(path.value, str):
            continue
        if not _is_inside(path.value, output.context):
            yield _outside(path, output.context)
        elif output.context.home is not None:
            yield from _check_file(path, output.context.home)


def check_array_lengths(output: ToolOutput) -> Iterator[Finding]:
    """Report arrays of file names and contents that differ in length. Skip fields that are not arrays."""
    for node in _objects_with_arrays(output):
        names, contents = node.items_of(_NAMES), node.items_of(_CONTENTS)
        are_arrays = all(isinstance(node.fields.get(key), list | tuple | None) for key in (_NAMES, _CONTENTS))
        if are_arrays and len(names) != len(contents) and not _contents_have_names(node):
            message = f"There are {len(names)} file names, but {len(contents)} file contents."
            advice = "Return both arrays in the same order, with one content per name."
            yield SAME_LENGTH.error(f"{node.json_path}.{_CONTENTS}", message, advice)


def check_array_items(output: ToolOutput) -> Iterator[Finding]:
    """Report file names that are not strings, and contents that are neither base64 nor an object with ``b64``."""
    for node in _objects_with_arrays(output):
        for item in node.items_of(_NAMES):
            if not isinstance(item.value, str) or not item.value:
                message = f"{quoted(item.value)} is not a file name."
                yield ARRAY_NAMES.error(item.json_path, message, "Return a string that is not empty.")
        for item in node.items_of(_CONTENTS):
            if not isinstance(item.value, str) and item.get("b64") is None:
                message = f"{quoted(item.value)} has no base64."
                yield ARRAY_CONTENT.error(item.json_path, message, 'Return base64, or {"name": …, "b64": …}.')


def check_arrays_beside_artifacts(output: ToolOutput) -> Iterator[Finding]:
    """Report contract v1's file arrays in an output with ``artifacts``, because Satchel then ignores the arrays."""
    for node in output.contract_objects:
        if _has_arrays(node) and node.get("artifacts"):
            message = f"`{_NAMES}` and `{_CONTENTS}` are ignored because there is `artifacts`."
            yield ARTIFACTS_WIN.warning(f"{node.json_path}.{_first_array(node)}", message, "Remove the arrays.")


def check_deprecated_arrays(output: ToolOutput) -> Iterator[Finding]:
    """Report, as a note, that the two file arrays of contract v1 are deprecated."""
    for node in _objects_with_arrays(output):
        message = f"`{_NAMES}` and `{_CONTENTS}` are deprecated."
        advice = "Return `artifacts` with `name`, `mime` and `path`."
        yield PHASED_OUT.note(f"{node.json_path}.{_first_array(node)}", message, advice)


def array_contents(output: ToolOutput) -> Iterator[Node]:
    """Yield each value in contract v1's file arrays that must be base64."""
    for node in _objects_with_arrays(output):
        for item in node.items_of(_CONTENTS):
            encoded = item.get("b64") if item.is_object else item
            if encoded and (item.is_object or isinstance(item.value, str)):
                yield encoded


def _is_inside(path: str, context: CallContext) -> bool:
    parts = PurePosixPath(os.path.normpath(path)).parts
    parent, file = parts[: len(_PARENT)], parts[len(_PARENT) + 1 :]
    return parent == _PARENT and bool(file) and _is_user(parts[len(_PARENT)], context) and "\0" not in path


def _is_user(name: str, context: CallContext) -> bool:
    if context.user is not None:
        return name == context.user
    try:
        _USER_NAME.validate_python(name)
    except ValidationError:
        return False
    return True


def _outside(path: Node, context: CallContext) -> Finding:
    directory = tool_directory(context.user or UserName("{username}"))
    if "{" in path.value:
        advice = 'The name in braces was not replaced: use an f-string, f"/tmp/{username}/…".'
    else:
        advice = 'Write the file to f"/tmp/{username}/…"; Satchel passes `username` if the tool declares it.'
    return PATH_INSIDE.error(path.json_path, f"{quoted(path.value)} is not inside {directory}.", advice)


def _check_file(path: Node, home: Path) -> Iterator[Finding]:
    try:
        with open_artifact(path.value, home, sys.maxsize):
            return
    except InvalidArtifact:
        message = f"There is no file {quoted(path.value)}."
        yield PATH_EXISTS.error(path.json_path, message, "Write and close the file before the tool returns.")
    except ToolError:
        message = f"{quoted(path.value)} is not a regular file with a single name."
        yield PATH_REGULAR.error(path.json_path, message, "Write a regular file: no directory, symbolic or hard link.")


def _objects_with_arrays(output: ToolOutput) -> list[Node]:
    """Return the objects that have contract v1's file arrays, except objects whose ``artifacts`` replace the arrays."""
    return [node for node in output.contract_objects if _has_arrays(node) and node.get("artifacts") is None]


def _has_arrays(node: Node) -> bool:
    return node.get(_NAMES) is not None or node.get(_CONTENTS) is not None


def _first_array(node: Node) -> str:
    return _NAMES if node.get(_NAMES) else _CONTENTS


def _contents_have_names(node: Node) -> bool:
    """Return True if there is no array of file names, and each item of the contents array has its own ``name``."""
    return node.get(_NAMES) is None and all(item.text("name") for item in node.items_of(_CONTENTS))
