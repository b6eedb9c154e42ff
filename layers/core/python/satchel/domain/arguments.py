"""What Dispatch changes in a model's arguments before a tool sees them (spec 2 §4, spec 3 §3, spec 4 §4)."""

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
"""Arguments that say what a file is called where another one says where it lies, with those they speak of."""

_MAX_SUGGESTIONS = 3


def parse(text: str) -> dict[str, Any]:
    """Read a model's arguments. Raises InvalidArguments unless they are one JSON object; nothing at all is ``{}``.

    What Python reads but JSON cannot carry is made plain: NaN and infinities become null, half surrogates U+FFFD.
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
    """Overwrite who the tool acts for, whatever the model sent; add it only where the tool's schema declares it.

    A schema may leave out what its tool takes: one that the model sent is overwritten there, too (spec 3 §9.2).
    """
    return arguments | {name: user for name in IDENTITY_ARGUMENTS if tool.declares(name) or name in arguments}


def list_file_names(tool: ToolSpec, arguments: dict[str, Any]) -> list[str]:
    """Return the values of the file arguments that the tool declares, in order, each once; empty ones name nothing."""
    values: list[str] = []
    for name in FILE_ARGUMENTS:
        if tool.declares(name):
            given = arguments.get(name)
            each = given if isinstance(given, list) else [given]
            values += [value for value in each if isinstance(value, str) and value]
    return list(dict.fromkeys(values))


def replace_file_names(tool: ToolSpec, arguments: dict[str, Any], replacement: Callable[[str], str]) -> dict[str, Any]:
    """Put what ``where`` gives (a path, an address, or the value itself) in the place of every named file."""
    replaced = dict(arguments)
    for name in FILE_ARGUMENTS:
        if tool.declares(name) and name in arguments:
            replaced[name] = _map_names(arguments[name], replacement)
    return replaced


def fill_original_names(tool: ToolSpec, arguments: dict[str, Any], name_of: Callable[[str], str]) -> dict[str, Any]:
    """Fill in what the files are called, where the tool declares that it wants to know; ``called`` gives the names."""
    told = dict(arguments)
    for original, sources in ORIGINAL_NAMES.items():
        source = next((name for name in sources if tool.declares(name) and arguments.get(name)), None)
        if source is not None and tool.declares(original):
            told[original] = _map_names(arguments[source], name_of)
    return told


def _map_names(given: object, change: Callable[[str], str]) -> object:
    """Change a name, or the names in a list; what is no name stays as it is."""
    if isinstance(given, list):
        return [change(value) if isinstance(value, str) else value for value in given]
    return change(given) if isinstance(given, str) else given


def find_similar_names(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that come nearest to one that is not known, best first."""
    return difflib.get_close_matches(name, list(known), n=_MAX_SUGGESTIONS, cutoff=0.5)
