"""One system with the official example servers of MCP Apps, and a server with hostile apps."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.published_servers.installed import NODE, with_installed_program
from tests.e2e.system_process import SystemProcess, running_system
from tests.e2e.user_client import Json, wait_for_tools

EXAMPLES = (
    "basic-react",
    "basic-vanillajs",
    "basic-vue",
    "budget-allocator",
    "cohort-heatmap",
    "customer-segmentation",
    "debug",
    "map",
    "pdf",
    "scenario-modeler",
    "shadertoy",
    "sheet-music",
    "system-monitor",
    "threejs",
    "transcript",
    "wiki-explorer",
)
ARE_INSTALLED = (NODE / "@modelcontextprotocol/server-debug").exists()


@contextmanager
def app_system(folder: Path, more: dict[str, Json]) -> Iterator[SystemProcess]:
    """Run a system with the example servers and ``more``."""
    package = "@modelcontextprotocol/server-"
    servers = {
        name: with_installed_program({"command": "npx", "args": ["-y", package + name, "--stdio"]}) for name in EXAMPLES
    }
    config = folder / "mcp.json"
    config.write_text(json.dumps({"mcpServers": servers | more}))
    with running_system(settings={"SATCHEL_MCP_CONFIG": str(config), "SATCHEL_APPROVAL_SECONDS": "60"}) as running:
        wait_for_tools(running.url)
        yield running
