"""Use cases of tool lists: which tools the MCP servers offer, and which of them a user may call."""
