"""Use cases of the apps of MCP servers."""
