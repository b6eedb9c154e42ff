"""A function's start in a process of its own, with the packages of its layers and no others: near to what Lambda does.

Used by the test of what functions import and by the benchmark of how long that takes.
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
_BEGIN = """
import json, resource, sys
def cpu_ms():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return 1000 * (used.ru_utime + used.ru_stime)
begun = cpu_ms()
"""
_END = """
print(json.dumps({"cpu_ms": cpu_ms() - begun, "modules": list(sys.modules)}))
"""


@dataclass(frozen=True)
class Started:
    """What a start took, in milliseconds of CPU, and the names of all modules that are imported then."""

    cpu_ms: float
    modules: frozenset[str]


@dataclass(frozen=True)
class Layers:
    """Where one function's code lies: with links to its layer's packages in ``vendor``."""

    function: str
    vendor: Path

    def run(self, statement: str) -> Started:
        """Run a statement in a fresh interpreter that finds nothing else. Raises CalledProcessError."""
        path = os.pathsep.join(map(str, (ROOT / "functions" / self.function, CORE, self.vendor)))
        python = {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": ""}
        command = [sys.executable, "-S", "-c", f"{_BEGIN}{statement}{_END}"]
        done = subprocess.run(command, env=_environment() | python, check=True, stdout=subprocess.PIPE)  # noqa: S603  (our own lines)
        said = json.loads(done.stdout.splitlines()[-1])
        return Started(said["cpu_ms"], frozenset(said["modules"]))


def lay_out(function: str, folder: Path) -> Layers:
    """Link a function's packages, as they are installed here, into a folder that many functions may share."""
    name = group_of(function)
    vendor = folder / name
    if not vendor.exists():
        vendor.mkdir()
        for place in _installed(name):
            (vendor / place.name).symlink_to(place)
    return Layers(function, vendor)


@cache
def _installed(vendor: str) -> frozenset[Path]:
    """Return the modules, packages and metadata of what is pinned for this layer, and of what Lambda brings along."""
    pinned = set(_PINNED.findall((ROOT / f"layers/vendor/{vendor}.txt").read_text(encoding="utf-8"))) | RUNTIME_PACKAGES
    wanted = [found for found in distributions() if re.sub(r"[-_.]+", "-", found.name).lower() in pinned]
    names = ((found, file.parts[0]) for found in wanted for file in found.files or ())
    return frozenset(Path(str(found.locate_file(name))) for found, name in names if name not in {"..", "__pycache__"})


@cache
def _environment() -> dict[str, str]:
    """Return values for all that functions are told, and nothing of the person's own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "SATCHEL_"))}
    aws = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing", "AWS_DEFAULT_REGION": "us-east-1"}
    kinds = [kind for kind in vars(settings).values() if isinstance(kind, type) and issubclass(kind, settings.SettingsGroup)]
    needed = {name for kind in kinds for name, field in kind.model_fields.items() if field.is_required()}
    said = {f"SATCHEL_{name.upper()}": "https://example.com" for name in needed}
    servers = {"SATCHEL_MCP_CONFIG": str(ROOT / "functions/servers/mcp.json"), "SATCHEL_SERVER": "calculator"}
    return kept | aws | said | servers | {"AWS_CONFIG_FILE": os.devnull, "AWS_EC2_METADATA_DISABLED": "true"}
