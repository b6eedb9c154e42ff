"""The mutated modules, their tests and their accepted survivors, read from ``modules.toml``."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "layers" / "core" / "python" / "satchel"
LIST = Path(__file__).with_name("modules.toml")


@dataclass(frozen=True, order=True)
class Mutant:
    """One change: the function (``function`` or ``Class.method``), the code it removes and the code it inserts.

    White space is collapsed, and there are no line numbers, so the change is still found after the module was edited.
    """

    function: str
    removed: str
    inserted: str

    @classmethod
    def parse(cls, text: str) -> "Mutant":
        """Parse the three lines that ``str`` returns. Raise ValueError if the text has a different format."""
        function, removed, inserted = (line.strip() for line in text.strip().splitlines())
        if removed[:1] != "-" or inserted[:1] != "+":
            raise ValueError(f"not a mutant: {text}")
        return cls(function, removed[1:].strip(), inserted[1:].strip())

    def __str__(self) -> str:
        """Return the change in the format of ``modules.toml``."""
        return f"{self.function}\n- {self.removed}\n+ {self.inserted}".rstrip()


@dataclass(frozen=True)
class Module:
    """A mutated module. ``path`` is relative to the package. ``survivors`` are accepted: each has a reason."""

    path: str
    tests: tuple[str, ...]
    survivors: dict[Mutant, str]

    @property
    def source(self) -> Path:
        """Return the module's file."""
        return PACKAGE / self.path


def read_modules(text: str | None = None) -> list[Module]:
    """Return all modules of a list. Raise ValueError or KeyError if the list has a different format."""
    return [_module(table) for table in tomllib.loads(LIST.read_text("utf-8") if text is None else text)["module"]]


def squeeze(code: str) -> str:
    """Return code with each run of white space replaced by one space."""
    return " ".join(code.split())


def _module(table: dict[str, Any]) -> Module:
    survivors = {Mutant.parse(text): each["reason"] for each in table.get("survivors", []) for text in each["mutants"]}
    return Module(table["path"], (*_mirrored_tests(table["path"]), *table.get("more_tests", [])), survivors)


def _mirrored_tests(path: str) -> Sequence[str]:
    folder, stem = ROOT / "tests" / "unit" / Path(path).parent, Path(path).stem
    files = [*folder.glob(f"test_{stem}.py"), *folder.glob(f"test_{stem}_*.py")]
    return [file.relative_to(ROOT).as_posix() for file in sorted(files)]
