"""Forwards a scenario of the suite to the tests' process. Arguments: the port of that process, URL of the server."""

import json
import os
import socket
import sys


def main(port: str, url: str) -> None:
    variables = {"name": "MCP_CONFORMANCE_SCENARIO", "context": "MCP_CONFORMANCE_CONTEXT"}
    scenario = {key: os.environ.get(name, "") for key, name in variables.items()}
    with socket.create_connection(("127.0.0.1", int(port))) as connection:
        connection.sendall(json.dumps({**scenario, "url": url}).encode() + b"\n")
        status, _, message = connection.makefile("r").read().partition(" ")
    sys.stderr.write(message)
    sys.exit(int(status))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
