"""HTTP server made with fastmcp. It expects two arguments as HTTP headers, too. It prints its port.

``GET /requests`` returns the requests since the last ``GET /requests``: HTTP method, MCP method and session id.
"""

import json
import socket
from typing import Annotated

import uvicorn
from fastmcp import FastMCP
from fastmcp.server.dependencies import get_http_headers
from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

mcp = FastMCP("regional")
REQUESTS: list[list[str | None]] = []


@mcp.tool
def where(
    region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})],
    count: Annotated[int, Field(json_schema_extra={"x-mcp-header": "Count"})],
) -> str:
    assert (region, count) == ("us", 3)
    headers = get_http_headers(include_all=True)
    return json.dumps({name: value for name, value in headers.items() if name.startswith("mcp-param-")})


@mcp.custom_route("/requests", ["GET"])
async def requests(_: Request) -> Response:
    answer = JSONResponse({"requests": REQUESTS})
    REQUESTS.clear()
    return answer


def recorded(app: ASGIApp) -> ASGIApp:
    async def record(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == "/mcp":
            headers = dict(scope["headers"])
            REQUESTS.append([scope["method"], headers.get(b"mcp-method", b"").decode(), None])
        await app(scope, receive, send)

    return record


if __name__ == "__main__":
    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(listening.getsockname()[1], flush=True)  # noqa: T201  (the test reads it)
        config = uvicorn.Config(recorded(mcp.http_app(path="/mcp")), log_level="error", ws="none")
        uvicorn.Server(config).run(sockets=[listening])
