"""Server made with fastmcp, over stdio. With the argument ``http`` or ``sse`` it prints its port and serves HTTP."""

import asyncio
import socket
import sys
from pathlib import Path

import uvicorn
from fastmcp import Context, FastMCP
from fastmcp.server.dependencies import get_http_headers

mcp = FastMCP("real")


@mcp.tool
async def count(steps: int, context: Context) -> dict[str, int]:
    for step in range(steps):
        await context.report_progress(step + 1, steps, f"step {step + 1}")
    await context.info("counted")
    return {"steps": steps}


@mcp.tool
async def big(size: int, context: Context) -> str:
    """Progress first, so that over HTTP the answer comes as an event."""
    await context.report_progress(1)
    return "x" * size


@mcp.tool
def divide(by: int) -> float:
    return 1 / by


@mcp.tool
def token() -> str:
    return get_http_headers(include_all=True).get("authorization", "none")


@mcp.tool
async def waits(note: str, context: Context) -> str:
    """Wait for a minute. If cancelled, write a note."""
    await context.report_progress(1)
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        Path(note).write_text("cancelled")  # noqa: ASYNC240  (one short write before the end)
        raise
    return "done"


@mcp.tool
async def elicits(context: Context) -> str:
    answer = await context.elicit("Which one?", response_type=str)
    return str(answer)


def serve(transport: str) -> None:
    app = mcp.http_app(path="/mcp", transport="sse" if transport == "sse" else "http")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(listening.getsockname()[1], flush=True)  # noqa: T201  (the test reads it)
        config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1, ws="none")
        uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    serve(sys.argv[1]) if len(sys.argv) > 1 else mcp.run(show_banner=False, log_level="ERROR")
