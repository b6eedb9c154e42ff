"""Servers that somebody else wrote and published, as a registry's clients install them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.e2e.system import ROOT

MEMORY = ROOT / "node_modules/.bin/mcp-server-memory"
SATCHEL = {"name": "Satchel", "entityType": "bag", "observations": ["holds files"]}
_BIN = Path(sys.executable).parent


def strangers(folder: Path) -> dict[str, dict[str, Any]]:
    """Return their entries; what they work on lies in ``folder``."""
    return {
        "time": {"command": [str(_BIN / "mcp-server-time"), "--local-timezone", "UTC"]},
        "git": {"command": [str(_BIN / "mcp-server-git"), "--repository", str(_repository(folder / "work"))]},
        "memory": {"command": [str(MEMORY)], "env": {"MEMORY_FILE_PATH": str(_memory(folder / "memory.jsonl"))}},
    }


def _memory(file: Path) -> Path:
    """Write what the server has learnt before: its tools name no user, so they can read and not write."""
    file.write_text(json.dumps({"type": "entity", **SATCHEL}) + "\n")
    return file


def _repository(folder: Path) -> Path:
    """Make a repository with one commit."""
    who = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.com"}
    who |= {"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.com"}
    folder.mkdir()
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "The first thought"]):
        subprocess.run(["git", *command], cwd=folder, check=True, env={**os.environ, **who})  # noqa: S603, S607  (fixed words)
    return folder
