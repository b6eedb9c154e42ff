"""Import of a function in a process of its own that finds only the packages of the function's layers, as in Lambda.

Used by the test of the functions' imports and by the benchmark of their CPU time.
"""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

from infra.packing.layer_set import RUNTIME_PACKAGES, group_of
from satchel import settings

ROOT = Path(__file__).parents[1]
CORE = ROOT / "layers/core/python"
FUNCTIONS = sorted(path.parent.name for path in ROOT.glob("functions/*/handler.py"))
_PINNED = re.compile(r"^([a-z0-9-]+)==", re.MULTILINE)
_PROLOGUE = """
import json, resource, sys
def cpu_ms():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return 1000 * (used.ru_utime + used.ru_stime)
start = cpu_ms()
"""
_EPILOGUE = """
print(json.dumps({"cpu_ms": cpu_ms() - start, "modules": list(sys.modules)}))
"""


@dataclass(frozen=True)
class ImportResult:
    """CPU time in milliseconds, and the names of all modules that are loaded at the end."""

    cpu_ms: float
    modules: frozenset[str]


@dataclass(frozen=True)
class FunctionCode:
    """The code of one function. ``vendor`` is a folder with links to the packages of its layer."""

    function: str
    vendor: Path

    def run(self, statement: str) -> ImportResult:
        """Run a statement in a new interpreter that finds only this code. Raises CalledProcessError."""
        path = os.pathsep.join(map(str, (ROOT / "functions" / self.function, CORE, self.vendor)))
        variables = {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": ""}
        command = [sys.executable, "-S", "-c", f"{_PROLOGUE}{statement}{_EPILOGUE}"]
        process = subprocess.run(command, env=_environment() | variables, check=True, stdout=subprocess.PIPE)  # noqa: S603  (fixed lines and the statement of a test)
        result = json.loads(process.stdout.splitlines()[-1])
        return ImportResult(result["cpu_ms"], frozenset(result["modules"]))


def link_packages(function: str, folder: Path) -> FunctionCode:
    """Link the installed packages of a function into a folder, which several functions may share."""
    name = group_of(function)
    vendor = folder / name
    if not vendor.exists():
        vendor.mkdir()
        for path in _installed(name):
            (vendor / path.name).symlink_to(path)
    return FunctionCode(function, vendor)


@cache
def _installed(vendor: str) -> frozenset[Path]:
    """Return the paths of the modules, packages and metadata that are pinned for a layer or included in Lambda."""
    pinned = set(_PINNED.findall((ROOT / f"layers/vendor/{vendor}.txt").read_text(encoding="utf-8"))) | RUNTIME_PACKAGES
    packages = [package for package in distributions() if re.sub(r"[-_.]+", "-", package.name).lower() in pinned]
    names = ((package, file.parts[0]) for package in packages for file in package.files or ())
    return frozenset(
        Path(str(package.locate_file(name))) for package, name in names if name not in {"..", "__pycache__"}
    )


@cache
def _environment() -> dict[str, str]:
    """Return an environment with a value for every required setting and no AWS or Satchel variable of the developer."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "SATCHEL_"))}
    aws = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_DEFAULT_REGION": "us-east-1"}
    groups = [
        group
        for group in vars(settings).values()
        if isinstance(group, type) and issubclass(group, settings.SettingsGroup)
    ]
    names = {name for group in groups for name, field in group.model_fields.items() if field.is_required()}
    required = {f"SATCHEL_{name.upper()}": "https://example.com" for name in names}
    servers = {"SATCHEL_MCP_CONFIG": str(ROOT / "functions/servers/mcp.json"), "SATCHEL_SERVER": "calculator"}
    required["SATCHEL_PAGE_HEADERS"] = "{}"
    return inherited | aws | required | servers | {"AWS_CONFIG_FILE": os.devnull, "AWS_EC2_METADATA_DISABLED": "true"}
