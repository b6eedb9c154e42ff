"""Translate the commands of mcp.json into commands that a Lambda function runs without a network.

``npx`` and ``uvx`` install a package and run its program. In a function, the package is in a layer, so the translated
command runs the program itself. A lock file pins the packages: a requirements file with hashes for Python, npm's
``package-lock.json`` for Node.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

Language = Literal["python", "node"]

NODE_PROGRAM = "/opt/bin/node"
NODE_PACKAGES = "/opt/node_modules"
LOCK_NAME = "package-lock.json"
PACKAGE_RUNNERS = frozenset({"npx", "uvx"})
"""Programs that install a package and run its program."""

_LANGUAGES: Mapping[str, Language] = {"uvx": "python", "npx": "node", "node": "node"}
_PYTHON = re.compile(r"python(3(\.\d+)?)?")
_PACKAGE = re.compile(r"(?P<name>@[^/@]+/[^@]+|[^@=]+)((@|==)(?P<version>.+))?")
_EXACT_VERSION = re.compile(r"\d+\.\d+.*")
_INSTALL_WITHOUT_QUESTION = frozenset({"-y", "--yes", "-q", "--quiet", "--"})
_RUN_SCRIPT = (
    "import sys; from importlib.metadata import entry_points; del sys.argv[0]; "
    "(script,) = entry_points(group='console_scripts', name=sys.argv[0]); sys.exit(script.load()())"
)


class CommandError(ValueError):
    """A function cannot run the command. The message says why."""


def language_of(command: Sequence[str]) -> Language:
    """Return the language of the server. Raise CommandError if a function has no such program."""
    program = command[0]
    if _PYTHON.fullmatch(program):
        return "python"
    if program not in _LANGUAGES:
        raise CommandError(f"a function cannot start the command {program!r}, only python, uvx, node and npx")
    return _LANGUAGES[program]


def deployed_command(command: Sequence[str], lock: Path | None) -> list[str]:
    """Return the command for the function. Raise CommandError if the lock file does not have the command's package."""
    program, *arguments = command
    if program == "node":
        return [NODE_PROGRAM, *arguments]
    if program not in PACKAGE_RUNNERS:
        return [*command]
    if lock is None:
        how = (
            "npm install --package-lock-only --omit-lockfile-registry-resolved PACKAGE"
            if program == "npx"
            else "uv pip compile --universal --generate-hashes requirements.in -o requirements.txt"
        )
        raise CommandError(f"{program} cannot install packages in a function: pin them (`{how}`) in 'requirements'")
    package, version, name, rest = _parse(program, arguments)
    if program == "npx":
        return [NODE_PROGRAM, f"{NODE_PACKAGES}/{package}/{NodeLock(lock).program(package, version, name)}", *rest]
    _check_pinned(package, version, lock)
    return ["python", "-c", _RUN_SCRIPT, name, *rest]


@dataclass(frozen=True)
class NodeLock:
    """npm's lock file, in format 2 or newer."""

    path: Path

    @cached_property
    def packages(self) -> Mapping[str, Any]:
        """Return the locked packages by folder. Raise CommandError if the lock cannot make two equal installations."""
        if self.path.name != LOCK_NAME or not self.path.with_name("package.json").is_file():
            raise CommandError(f"{self.path} must be a {LOCK_NAME} with its package.json beside it")
        packages: dict[str, Any] = json.loads(self.path.read_text(encoding="utf-8")).get("packages", {})
        if not packages:
            raise CommandError(f"{self.path} has no packages; npm 7 or newer writes them")
        if loose := [folder for folder, each in packages.items() if folder and "integrity" not in each]:
            raise CommandError(f"{self.path}: no hash for {', '.join(loose)}")
        return packages

    def program(self, package: str, version: str | None, name: str) -> str:
        """Return the path of a package's program, relative to the package. ``npx`` finds it by the same rules."""
        locked = self.packages.get(f"node_modules/{package}")
        if locked is None:
            raise CommandError(f"{self.path} does not have the package {package}")
        _check_version(package, version, locked["version"], self.path)
        programs: dict[str, str] = locked.get("bin", {})
        chosen = next(iter(programs.values())) if len(programs) == 1 else programs.get(name)
        if chosen is None:
            raise CommandError(f"{package} has no program {name!r}, but {', '.join(sorted(programs)) or 'none'}")
        return chosen.removeprefix("./")


def _parse(program: str, arguments: Sequence[str]) -> tuple[str, str | None, str, list[str]]:
    """Return package, version or None, name of the program, and the program's own arguments."""
    options = {"-p", "--package"} if program == "npx" else {"--from"}
    package: str | None = None
    rest = [*arguments]
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        key, separator, value = option.partition("=")
        if key in options and (separator or rest):
            package = value if separator else rest.pop(0)
        elif option not in _INSTALL_WITHOUT_QUESTION:
            raise CommandError(f"a function cannot apply the option {option} of {program}")
    if not rest:
        raise CommandError(f"the command names no package for {program}")
    first = rest.pop(0)
    match = _PACKAGE.fullmatch(package or first)
    if match is None:
        raise CommandError(f"{package or first!r} is not the name of a package")
    name = first if package else match["name"].rpartition("/")[2]
    return match["name"], match["version"], name, rest


def _check_pinned(package: str, version: str | None, requirements: Path) -> None:
    name = _normalized(package.partition("[")[0])
    lines = requirements.read_text(encoding="utf-8").splitlines()
    pins = dict(line.split()[0].split("==")[:2] for line in lines if re.match(r"[A-Za-z0-9][^ ]*==\S", line))
    versions = {_normalized(each.partition("[")[0]): version for each, version in pins.items()}
    if name not in versions:
        raise CommandError(f"{requirements} does not pin {package}")
    _check_version(package, version, versions[name], requirements)


def _check_version(package: str, version: str | None, locked: str, lock: Path) -> None:
    if version is not None and _EXACT_VERSION.fullmatch(version) and version != locked:
        raise CommandError(f"the command names {package} {version}, but {lock} has {locked}")


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
