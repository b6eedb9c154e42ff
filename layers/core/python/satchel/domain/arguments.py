"""Prepare a model's arguments for a tool: parse them, and set the user's name, file paths and original file names."""

import difflib
import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Literal, Protocol

from satchel.contract.errors import InvalidArguments
from satchel.contract.jsonable import to_plain_json
from satchel.domain.conversation import ToolSpec
from satchel.domain.ids import UserName

IDENTITY_ARGUMENTS = ("username", "_atlas_user")
FILE_ARGUMENTS = ("filename", "filenames", "file_names")
CONTENT_ARGUMENT = "file_data_base64"
"""The argument that gets the content of the file in ``filename``."""

FileForm = Literal["file", "uri", "base64", "data", "object", "upload"]
"""The form in which a tool gets a file: path or link (``file``), ``file://`` URI, base64 text, or ``data:`` URI.

A file in the form ``upload`` is sent to the server, and the tool gets the server's address of it (SEP-2631). The form
``object`` is a JSON object with a link, as apps of ChatGPT expect it (``openai/fileParams``).
"""

FILE_OBJECT = "x-satchel-file-object"
"""The keyword in a stored schema that marks an argument of the form ``object``."""


class FileReplacement(Protocol):
    """Function that replaces a file's name in an argument of a tool."""

    def __call__(self, name: str, *, form: FileForm) -> str | dict[str, str]:
        """Return what the tool gets in place of a name."""
        ...


EMBEDDED_FORMS: frozenset[FileForm] = frozenset({"base64", "data"})
"""The forms that contain the file's content. Only the runner, which has the file, can write them."""

RUNNER_FORMS: frozenset[FileForm] = EMBEDDED_FORMS | {"upload"}
"""The forms that the runner writes in place of the file's path."""

ORIGINAL_NAMES = {
    "original_filename": ("filename",),
    "original_filenames": ("filenames", "file_names"),
    "original_file_names": ("file_names", "filenames"),
}
"""Maps each argument for original file names to the file arguments that can supply its value."""

_MAX_SUGGESTIONS = 3


def parse(text: str) -> dict[str, Any]:
    """Parse a model's arguments. Raise InvalidArguments if the text is not a JSON object. Empty text means ``{}``.

    Values that JSON cannot represent are replaced: NaN and infinity with null, lone surrogates with U+FFFD.
    """
    try:
        arguments = to_plain_json(json.loads(text)) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise InvalidArguments([f"the arguments are not JSON: {error}"]) from None
    if not isinstance(arguments, dict):
        raise InvalidArguments([f"the arguments must be a JSON object, not {type(arguments).__name__}"])
    return arguments


def parse_or_text(text: str) -> Any:  # noqa: ANN401  (a JSON object, or the text)
    """Parse the JSON arguments from a model. Return the text unchanged if it is not a JSON object."""
    try:
        return parse(text)
    except InvalidArguments:
        return text


def inject_identity(tool: ToolSpec, arguments: dict[str, Any], user: UserName) -> dict[str, Any]:
    """Set each identity argument (``username``, ``_atlas_user``) that the tool declares to the user's name.

    Remove identity arguments that the tool does not declare: their values are the model's, and the tool's schema may
    forbid them (clause v2.1:username:overwritten).
    """
    others = {name: value for name, value in arguments.items() if name not in IDENTITY_ARGUMENTS}
    return others | {name: user for name in IDENTITY_ARGUMENTS if tool.declares(name)}


def file_forms(
    tool: ToolSpec, configured: Mapping[str, FileForm], *, has_transfer: bool = False
) -> dict[str, FileForm]:
    """Return the declared arguments of a tool that are files, and the form of each.

    These are the arguments of the contract, those that the schema marks with ``x-mcp-file`` or ``FILE_OBJECT``, and
    those in ``configured``, which the entry of the server names. ``has_transfer`` says that the server takes uploads.
    """
    known: dict[str, FileForm] = dict.fromkeys(FILE_ARGUMENTS, "file")
    known[CONTENT_ARGUMENT] = "base64"
    for argument, declared in tool.values_of("x-mcp-file").items():
        known[argument] = _declared_form(declared, has_transfer=has_transfer)
    known |= {**dict.fromkeys(tool.arguments_with(FILE_OBJECT), "object"), **configured}
    return {argument: form for argument, form in known.items() if tool.declares(argument)}


def _declared_form(declared: object, *, has_transfer: bool) -> FileForm:
    """Return the form of an argument with ``x-mcp-file``. Its ``transferModes`` are ``inline``, ``upload``, or both."""
    modes = declared.get("transferModes") if isinstance(declared, dict) else None
    if not isinstance(modes, list):
        modes = ["inline", "upload"]
    return "upload" if "upload" in modes and (has_transfer or "inline" not in modes) else "data"


def fill_content(tool: ToolSpec, arguments: dict[str, Any]) -> dict[str, Any]:
    """Set the argument for the content of a file to the file's name, which the runner replaces with the content."""
    name = arguments.get("filename")
    if not isinstance(name, str) or not tool.declares(CONTENT_ARGUMENT) or not tool.declares("filename"):
        return arguments
    return {**arguments, CONTENT_ARGUMENT: name}


def list_file_names(forms: Iterable[str], arguments: dict[str, Any]) -> list[str]:
    """Return the file names in the file arguments ``forms``, in order, without duplicates or empty names."""
    names: list[str] = []
    for argument in forms:
        value = arguments.get(argument)
        items = value if isinstance(value, list) else [value]
        names += [item for item in items if isinstance(item, str) and item]
    return list(dict.fromkeys(names))


def is_server_file(name: str) -> bool:
    """Return True if a value is the address of a file of the server (SEP-2631), for example in an earlier result."""
    return name.lower().startswith("mcp-file:")


def replace_file_names(
    forms: Mapping[str, FileForm], arguments: dict[str, Any], replacement: FileReplacement
) -> dict[str, Any]:
    """Replace each file name in the file arguments with ``replacement(name, form)``, which can be the same name."""
    replaced = dict(arguments)
    for argument, form in forms.items():
        if argument in arguments:
            replaced[argument] = _map_names(arguments[argument], partial(replacement, form=form))
    return replaced


def fill_original_names(tool: ToolSpec, arguments: dict[str, Any], name_of: Callable[[str], str]) -> dict[str, Any]:
    """Set the tool's arguments for original file names. ``name_of`` returns the original name for a file argument."""
    filled = dict(arguments)
    for original, sources in ORIGINAL_NAMES.items():
        source = next((name for name in sources if tool.declares(name) and arguments.get(name)), None)
        if source is not None and tool.declares(original):
            filled[original] = _map_names(arguments[source], name_of)
    return filled


def _map_names(value: object, change: Callable[[str], object]) -> object:
    """Apply ``change`` to a name, or to each name in a list. Leave values that are not strings unchanged."""
    if isinstance(value, list):
        return [change(item) if isinstance(item, str) else item for item in value]
    return change(value) if isinstance(value, str) else value


def find_similar_names(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three known names that resemble ``name``, the most similar first."""
    return difflib.get_close_matches(name, list(known), n=_MAX_SUGGESTIONS, cutoff=0.5)
