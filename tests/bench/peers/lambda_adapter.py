"""Runs in the peer's environment: hands each line of stdin to its handler as Lambda would, and writes what it returns.

Usage: ``python lambda_adapter.py FOLDER COMMAND…``; the server is started there, by the peer, for every event.
"""

import json
import sys

from mcp.client.stdio import StdioServerParameters
from mcp_lambda import stdio_server_adapter  # type: ignore[import-not-found]  # the peer

folder, command, *arguments = sys.argv[1:]
server = StdioServerParameters(command=command, args=arguments, cwd=folder)
for line in sys.stdin:
    sys.stdout.write(json.dumps(stdio_server_adapter(server, json.loads(line), None)) + "\n")
    sys.stdout.flush()
