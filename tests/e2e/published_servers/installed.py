"""The installed packages of published servers: their programs and READMEs."""

import re
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import distributions
from json import loads
from pathlib import Path
from typing import Any

from mcp_config import jsonc
from mcp_config.layouts import find_layout
from tests.e2e.system_process import ROOT
from tests.e2e.user_client import Json

MCP_JSON = Path(__file__).with_name("mcp.json")
NODE = ROOT / ".venv/published-servers-node/node_modules"
_PYTHON = (ROOT / ".venv/published-servers", ROOT / ".venv/published-servers-old")
_JSON_BLOCK = re.compile(r"```(?:json\w*|js)\s*\n(.*?)```", re.DOTALL)


def entries() -> dict[str, Json]:
    """Return the entries of mcp.json, as the READMEs print them, without those for which there are no packages."""
    servers: dict[str, Json] = loads(MCP_JSON.read_text("utf-8"))["mcpServers"]
    missing = {"markitdown"} if sys.version_info >= (3, 14) else set()
    return {name: entry for name, entry in servers.items() if name not in missing}


def package_of(entry: Json) -> str | None:
    """Return the package that ``npx`` or ``uvx`` would download, or None for a server that is called by URL."""
    if "command" not in entry:
        return None
    names = [text for text in entry.get("args", []) if not text.startswith("-")]
    name: str = names[0] if entry["command"] in {"npx", "uvx"} else entry["command"]
    return name[0] + name[1:].partition("@")[0]


def with_installed_program(entry: Json) -> Json:
    """Return the entry with the pinned package's program in place of ``npx`` or ``uvx``, which would download it."""
    package, arguments = package_of(entry), list(entry.get("args", []))
    if package is None:
        return entry
    if entry["command"] == "npx":
        after = next(index for index, text in enumerate(arguments) if not text.startswith("-")) + 1
        ((program, _script),) = _manifest(package)["bin"].items()
        return entry | {"command": str(NODE / ".bin" / program), "args": arguments[after:]}
    if entry["command"] == "uvx":
        after = 2 if arguments[0] == "--from" else 0
        program, arguments = arguments[after].partition("@")[0], arguments[after + 1 :]
    else:
        program = entry["command"]
    found = shutil.which(program, path=":".join(str(folder / "bin") for folder in _PYTHON))
    return entry | {"command": found or program, "args": arguments}


def printed_entries(package: str) -> Iterator[Json]:
    """Yield the entries of all configurations in a package's README, without the address of the registry."""
    for block in _JSON_BLOCK.findall(_readme(package)):
        text = block.strip()
        try:
            text = re.sub(r'"--registry=[^"]*",\s*', "", text)
            document: Any = jsonc.parse(text if text.startswith("{") else f"{{{text}}}")
            yield from (entry for entry in find_layout(document).entries.values() if isinstance(entry, dict))
        except ValueError:
            continue  # an example that is no configuration


def _readme(package: str) -> str:
    if (NODE / package).exists():
        return (NODE / package / "README.md").read_text("utf-8")
    folders = [str(folder) for venv in _PYTHON for folder in venv.glob("lib/python*/site-packages")]
    name = _normalized(package)
    (found,) = (each for each in distributions(path=folders) if _normalized(each.metadata["Name"]) == name)
    return found.metadata.get_payload()  # type: ignore[attr-defined, no-any-return]  # an email message in fact


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _manifest(package: str) -> Json:
    manifest: Json = loads((NODE / package / "package.json").read_text("utf-8"))
    return manifest
