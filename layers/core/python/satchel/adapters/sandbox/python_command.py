"""Reads the command line of a Python server, to start it by way of ``guest``."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_PYTHON = re.compile(r"python(3(\.\d+)?)?t?")
_OPTION = re.compile(r"-(?P<before>[a-zA-Z]*?)(?P<letter>[cmWX])(?P<value>.*)", re.DOTALL)
_LONG_WITH_VALUE = "--check-hash-based-pycs"
_FILE = "-f"


@dataclass(frozen=True)
class PythonCommand:
    """``flags`` are the interpreter's; ``start`` is ``-c``, ``-m`` or ``-f`` (a file), ``rest`` what follows it."""

    flags: tuple[str, ...]
    start: str
    rest: tuple[str, ...]


def read_python(command: Sequence[str]) -> PythonCommand | None:
    """Take a command apart; None where it does not start Python on a file, a module or a line of code."""
    program, *words = command
    if not _PYTHON.fullmatch(Path(program).name):
        return None
    flags: list[str] = []
    while words:
        word = words.pop(0)
        if not word.startswith("-"):
            return PythonCommand(tuple(flags), _FILE, (word, *words))
        option = _OPTION.fullmatch(word)
        if option and option["letter"] in "cm":
            rest = [option["value"], *words] if option["value"] else words
            before = [f"-{option['before']}"] if option["before"] else []
            return PythonCommand((*flags, *before), f"-{option['letter']}", tuple(rest)) if rest else None
        flags.append(word)
        if words and (word == _LONG_WITH_VALUE or (option and not option["value"])):
            flags.append(words.pop(0))
    return None
