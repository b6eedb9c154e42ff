"""Placeholders in the texts of mcp.json.

After translation there are two forms: ``${NAME}``, and ``${NAME:-default}``, whose default replaces an unset or empty
variable. ``$${`` becomes the characters ``${``.
"""

import re
from collections.abc import Callable, Mapping

WORKSPACE = "SATCHEL_WORKSPACE"
"""The name that stands for the user's workspace. It is no variable: its value differs from call to call."""

_PLACEHOLDER = re.compile(r"\$(?P<escape>\$)?\{(?P<name>\w+)(?::-(?P<default>[^{}]*))?\}")
_FOREIGN = re.compile(r"(?<!\$)\$\{(?:(?P<kind>\w+):(?!-)(?P<rest>[^{}]*)|(?P<word>workspaceFolder|userHome|/))\}")
_NAME = re.compile(r"(?P<name>\w+)(?::-[^{}]*)?")
_NOT_IN_NAMES = re.compile(r"\W")


class PlaceholderError(ValueError):
    """A placeholder cannot be translated. The message says what to write instead."""


def translate(text: str, project_folder: str, defaults: Mapping[str, str]) -> str:
    """Return the text with other programs' placeholders in Satchel's form. Raise PlaceholderError.

    ``${env:NAME}`` becomes ``${NAME}``, ``${input:api-key}`` becomes ``${API_KEY}`` (with the input's default, if
    ``defaults`` has one by its id), ``${userHome}`` becomes ``${HOME}``, and ``${workspaceFolder}`` becomes
    ``project_folder``.
    """

    def translated(match: re.Match[str]) -> str:
        if word := match["word"]:
            return {"workspaceFolder": project_folder, "userHome": "${HOME}", "/": "/"}[word]
        kind, rest = match["kind"], match["rest"]
        if kind == "env" and _NAME.fullmatch(rest):
            return f"${{{rest}}}"
        if kind == "input" and rest:
            default = defaults.get(rest)
            return f"${{{input_variable(rest)}{'' if default is None else f':-{default}'}}}"
        raise PlaceholderError(f"{match[0]} is not supported; write ${{NAME}} and set the variable NAME")

    return _FOREIGN.sub(translated, text)


def input_variable(input_id: str) -> str:
    """Return the name of the variable that holds the value of a VS Code input: ``API_KEY`` for ``api-key``."""
    return _NOT_IN_NAMES.sub("_", input_id).upper()


def placeholder_names(text: str) -> set[str]:
    """Return the names of the variables in a translated text."""
    return {name for name, _ in _variables(text)}


def required_names(text: str) -> set[str]:
    """Return the names of the variables in a translated text that have no default."""
    return {name for name, default in _variables(text) if default is None}


def substitute(text: str, value_of: Callable[[str, str | None], str]) -> str:
    """Replace each placeholder of a translated text with ``value_of(name, default)``. Keep that of the workspace."""

    def value(match: re.Match[str]) -> str:
        if match["escape"]:
            return match[0][1:]
        return match[0] if match["name"] == WORKSPACE else value_of(match["name"], match["default"])

    return _PLACEHOLDER.sub(value, text)


def _variables(text: str) -> list[tuple[str, str | None]]:
    found = (match for match in _PLACEHOLDER.finditer(text) if not match["escape"])
    return [(match["name"], match["default"]) for match in found if match["name"] != WORKSPACE]
