"""The entry of a server whose app uses the official SDK, for mcp.json.

Its settings are arguments: a server with variables of its own would start without a prepared process.
"""

import sys
from pathlib import Path
from typing import Any

from tests.e2e.system_process import ROOT

SDK = ROOT / "node_modules/@modelcontextprotocol/ext-apps/dist/src/app-with-deps.js"
DEMO: dict[str, Any] = {
    "command": sys.executable,
    "args": [str(Path(__file__).with_name("server.py")), str(SDK)],
    "read_paths": [str(SDK)],
}
