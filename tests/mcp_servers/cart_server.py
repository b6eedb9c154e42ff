"""HTTP server of MCP 2025-06-18 that keeps a cart in each MCP session. It prints its port.

``DELETE /sessions`` forgets all sessions, as a restart does. ``GET /requests`` returns the requests since the last
``GET /requests``, each as its HTTP method, its MCP method and its session id.
"""

import json
import socket
import uuid
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

CARTS: dict[str, list[str]] = {}
REQUESTS: list[list[str | None]] = []
NO_ARGUMENTS = {"type": "object"}


async def mcp(request: Request) -> Response:  # noqa: PLR0911  (one return for each kind of request)
    session = request.headers.get("mcp-session-id")
    message = json.loads(await request.body() or b"{}")
    REQUESTS.append([request.method, message.get("method"), session])
    if request.method == "GET":
        return Response(status_code=405)
    if request.method == "DELETE":
        CARTS.pop(session or "", None)
        return Response(status_code=204)
    if message["method"] == "initialize":
        session = uuid.uuid4().hex
        CARTS[session] = []
        info = {"name": "cart", "version": "1"}
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
        body = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        return JSONResponse(body, headers={"Mcp-Session-Id": session})
    if session is None:
        return JSONResponse({"error": "no session"}, 400)
    if session not in CARTS:
        return JSONResponse({"error": "session not found"}, 404)
    if "id" not in message:
        return Response(status_code=202)
    return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "result": answer(CARTS[session], message)})


def answer(cart: list[str], message: dict[str, Any]) -> dict[str, Any]:
    if message["method"] == "tools/list":
        return {"tools": [{"name": name, "inputSchema": NO_ARGUMENTS} for name in ("add", "view")]}
    params = message["params"]
    if params["name"] == "add":
        cart.append(params["arguments"]["item"])
    return {"content": [{"type": "text", "text": json.dumps(cart)}]}


async def forget_sessions(_: Request) -> Response:
    CARTS.clear()
    return Response()


async def requests(_: Request) -> Response:
    answer = JSONResponse({"requests": REQUESTS, "carts": CARTS})
    REQUESTS.clear()
    return answer


ROUTES = [
    Route("/mcp", mcp, methods=["GET", "POST", "DELETE"]),
    Route("/sessions", forget_sessions, methods=["DELETE"]),
    Route("/requests", requests),
]


if __name__ == "__main__":
    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(listening.getsockname()[1], flush=True)  # noqa: T201  (the test reads it)
        config = uvicorn.Config(Starlette(routes=ROUTES), log_level="error", ws="none")
        uvicorn.Server(config).run(sockets=[listening])
