"""The examples of specification 5."""

from jsonrpc_server import Server

server = Server("spec5")


@server.tool
def ping() -> dict[str, object]:
    """Return a result."""
    return {"results": "pong"}


if __name__ == "__main__":
    server.run()
