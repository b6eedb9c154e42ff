"""Server of the current protocol revision, which announces changed tools only to subscribers."""

from mcp.server.mcpserver import Context, MCPServer

mcp = MCPServer("changing")


@mcp.tool()
async def grow(context: Context) -> str:
    await context.notify_tools_changed()
    return "grown"


@mcp.tool()
def rest() -> str:
    return "rested"


if __name__ == "__main__":
    mcp.run()
