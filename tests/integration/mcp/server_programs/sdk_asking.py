"""Server made with the MCP SDK whose tool asks the user while it runs."""

from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

mcp = MCPServer("sdk")


class Color(BaseModel):
    """The form."""

    value: str


@mcp.tool()
async def asks(context: Context) -> str:
    return str(await context.elicit("Which one?", Color))


mcp.run()
