"""A server of the current revision, which tells of a new tool only who has subscribed to that."""

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
