"""The examples of specification 2."""

from jsonrpc_server import Server

server = Server("spec2")


@server.tool
def ping() -> dict[str, object]:
    """Return a result."""
    return {"results": "pong"}


if __name__ == "__main__":
    server.run()
