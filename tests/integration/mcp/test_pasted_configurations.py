"""Configurations of Claude, Cursor and VS Code, as their documents print them, each start a published server."""

import json
import os
from pathlib import Path

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.adapters.server_config import environment_variables, load_config, resolve_variables
from satchel.ports.tool_client import CallFailure, ToolResult

CLAUDE = """{
  "mcpServers": {
    "time": {
      "command": "python",
      "args": ["-m", "mcp_server_time", "--local-timezone=Asia/Tokyo"]
    }
  }
}"""
CURSOR = """{
  // .cursor/mcp.json
  "mcpServers": {
    "time": {
      "type": "stdio",
      "command": "python",
      "args": ["-m", "mcp_server_time", "--local-timezone", "${env:ZONE}"],
      "env": {"PYTHONUTF8": "1"},
    }
  }
}"""
VS_CODE = """{
  "inputs": [{"type": "promptString", "id": "zone", "description": "Time zone", "password": true}],
  "servers": {
    "time": {
      "type": "stdio",
      "command": "python",
      "args": ["-m", "mcp_server_time", "--local-timezone", "${input:zone}"]
    }
  }
}"""


@pytest.mark.parametrize("text", [CLAUDE, CURSOR, VS_CODE], ids=["Claude", "Cursor", "VS Code"])
def test_pasted_configuration_starts_without_an_edit(loop: EventLoop, tmp_path: Path, text: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(text)
    loaded = load_config(path)
    variables = environment_variables({"ZONE": "Asia/Tokyo", "zone": "Asia/Tokyo"})
    entry = resolve_variables(path, "time", loaded.registry.servers["time"], variables)
    client = McpToolClient("time", entry, loop, os.environ)
    try:
        assert (loaded.registry.broken, loaded.warnings) == ({}, [])
        with client.call("get_current_time", {"timezone": "Asia/Tokyo"}, None, writes=False) as running:
            while not isinstance(result := running.receive(60), ToolResult | CallFailure):
                pass
        assert isinstance(result, ToolResult), result
        assert json.loads(result.raw["content"][0]["text"])["timezone"] == "Asia/Tokyo"
    finally:
        client.close()
