"""Published servers of third parties, as package managers install them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.e2e.system_process import ROOT

MEMORY = ROOT / "node_modules/.bin/mcp-server-memory"
FILESYSTEM = ROOT / "node_modules/.bin/mcp-server-filesystem"
SATCHEL = {"name": "Satchel", "entityType": "bag", "observations": ["holds files"]}
_BIN = Path(sys.executable).parent
_PUBLISHED = ROOT / ".venv/published-servers/bin"
_OLD_SDK = ROOT / ".venv/published-servers-old/bin"
_GIT_WITH_REPOSITORY = """
import os, subprocess
subprocess.run(["git", "init", "-q", os.path.join(os.environ["SATCHEL_WORKSPACE"], "repo")], check=True)
from mcp_server_git import main
main()
"""


def third_party_servers(folder: Path) -> dict[str, dict[str, Any]]:
    """Return their configuration entries. Their data is in ``folder``."""
    return {
        "time": {"command": [str(_BIN / "mcp-server-time"), "--local-timezone", "UTC"]},
        "git": {"command": [str(_BIN / "mcp-server-git"), "--repository", str(_repository(folder / "repo"))]},
        "memory": {"command": [str(MEMORY)], "env": {"MEMORY_FILE_PATH": str(_memory_file(folder / "memory.jsonl"))}},
        "filesystem": {"command": str(FILESYSTEM), "args": [str(folder / "repo")]},
        **_writing_servers(),
    }


def _writing_servers() -> dict[str, dict[str, Any]]:
    """Return servers that keep their state in the workspace of the person who calls them."""
    memory_file = {"MEMORY_FILE_PATH": "${SATCHEL_WORKSPACE}/.memory.jsonl"}
    servers: dict[str, dict[str, Any]] = {
        "own_memory": {"command": str(MEMORY), "args": [], "env": memory_file},
        "own_files": {"command": str(FILESYSTEM), "args": ["${SATCHEL_WORKSPACE}"]},
        "sqlite": {"command": str(_OLD_SDK / "mcp-server-sqlite"), "args": ["--db-path", "~/test.db"]},
        "excel": {"command": str(_PUBLISHED / "excel-mcp-server"), "args": ["stdio"]},
        "own_git": {"command": "python", "args": ["-c", _GIT_WITH_REPOSITORY]},
    }
    return {name: entry | {"writes": True} for name, entry in servers.items()}


def _memory_file(file: Path) -> Path:
    """Write the memory of a server that cannot write it."""
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
