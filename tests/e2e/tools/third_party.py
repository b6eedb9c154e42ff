"""Published servers of third parties, as package managers install them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.e2e.system_process import ROOT

MEMORY = ROOT / "node_modules/.bin/mcp-server-memory"
SATCHEL = {"name": "Satchel", "entityType": "bag", "observations": ["holds files"]}
_BIN = Path(sys.executable).parent


def third_party_servers(folder: Path) -> dict[str, dict[str, Any]]:
    """Return their configuration entries. Their data is in ``folder``."""
    return {
        "time": {"command": [str(_BIN / "mcp-server-time"), "--local-timezone", "UTC"]},
        "git": {"command": [str(_BIN / "mcp-server-git"), "--repository", str(_repository(folder / "work"))]},
        "memory": {"command": [str(MEMORY)], "env": {"MEMORY_FILE_PATH": str(_memory_file(folder / "memory.jsonl"))}},
    }


def _memory_file(file: Path) -> Path:
    """Write the memory of the server. Its tools have no `username` argument, so they cannot write it."""
    file.write_text(json.dumps({"type": "entity", **SATCHEL}) + "\n")
    return file


def _repository(folder: Path) -> Path:
    """Create a repository with one commit."""
    author = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.com"}
    author |= {"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.com"}
    folder.mkdir()
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "First commit"]):
        subprocess.run(["git", *command], cwd=folder, check=True, env={**os.environ, **author})  # noqa: S603, S607  (fixed words)
    return folder
