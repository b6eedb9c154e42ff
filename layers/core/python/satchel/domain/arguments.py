"""Changes that Dispatch makes to a model's arguments before a tool gets them: identity, file names, original names."""

import difflib
import json
from collections.abc import Callable, Iterable
from typing import Any

from satchel.contract.errors import InvalidArguments
from satchel.contract.jsonable import to_plain_json
from satchel.domain.conversation import ToolSpec
from satchel.domain.ids import UserName

IDENTITY_ARGUMENTS = ("username", "_atlas_user")
FILE_ARGUMENTS = ("filename", "filenames", "file_names")
ORIGINAL_NAMES = {
    "original_filename": ("filename",),
    "original_filenames": ("filenames", "file_names"),
    "original_file_names": ("file_names", "filenames"),
}
"""Arguments that receive the users' names of files, each with the file arguments that it describes."""

_MAX_SUGGESTIONS = 3


def parse(text: str) -> dict[str, Any]:
    """Parse a model's arguments. Raise InvalidArguments unless the text is one JSON object; an empty text is ``{}``.

    Values that Python reads but JSON cannot carry are replaced: NaN and infinities by null, lone surrogates by U+FFFD.
    """
    try:
        arguments = to_plain_json(json.loads(text)) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise InvalidArguments([f"the arguments are not JSON: {error}"]) from None
    if not isinstance(arguments, dict):
        raise InvalidArguments([f"the arguments must be a JSON object, not {type(arguments).__name__}"])
    return arguments


def parse_or_text(text: str) -> Any:  # noqa: ANN401  (a JSON object, or the text)
    """Return the model's arguments, or the unchanged text if it is not a JSON object."""
    try:
        return parse(text)
    except InvalidArguments:
        return text


def inject_identity(tool: ToolSpec, arguments: dict[str, Any], user: UserName) -> dict[str, Any]:
    """Set the identity arguments that the tool's schema declares to the signed-in user.

    An identity that the model sent is overwritten even if the schema does not declare it: the tool may read it anyway
    (clause v2.1:username:overwritten).
    """
    return arguments | {name: user for name in IDENTITY_ARGUMENTS if tool.declares(name) or name in arguments}


def list_file_names(tool: ToolSpec, arguments: dict[str, Any]) -> list[str]:
    """Return the file names in the tool's declared file arguments, in order and without duplicates or empty names."""
    names: list[str] = []
    for argument in FILE_ARGUMENTS:
        if tool.declares(argument):
            value = arguments.get(argument)
            items = value if isinstance(value, list) else [value]
            names += [item for item in items if isinstance(item, str) and item]
    return list(dict.fromkeys(names))


def replace_file_names(tool: ToolSpec, arguments: dict[str, Any], replacement: Callable[[str], str]) -> dict[str, Any]:
    """Replace each file name by ``replacement(name)``: a path, a URL, or the name itself."""
    replaced = dict(arguments)
    for argument in FILE_ARGUMENTS:
        if tool.declares(argument) and argument in arguments:
            replaced[argument] = _map_names(arguments[argument], replacement)
    return replaced


def fill_original_names(tool: ToolSpec, arguments: dict[str, Any], name_of: Callable[[str], str]) -> dict[str, Any]:
    """Set the original-name arguments that the tool declares; ``name_of`` returns a file's name for its argument."""
    filled = dict(arguments)
    for original, sources in ORIGINAL_NAMES.items():
        source = next((name for name in sources if tool.declares(name) and arguments.get(name)), None)
        if source is not None and tool.declares(original):
            filled[original] = _map_names(arguments[source], name_of)
    return filled


def _map_names(value: object, change: Callable[[str], str]) -> object:
    """Change a name, or each name in a list. Values that are not strings stay as they are."""
    if isinstance(value, list):
        return [change(item) if isinstance(item, str) else item for item in value]
    return change(value) if isinstance(value, str) else value


def find_similar_names(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three known names that resemble an unknown one, the most similar first."""
    return difflib.get_close_matches(name, list(known), n=_MAX_SUGGESTIONS, cutoff=0.5)
