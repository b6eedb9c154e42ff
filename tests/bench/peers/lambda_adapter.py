"""`python lambda_adapter.py FOLDER COMMAND…`: pass each line of stdin to the adapter as an event, print the result.

It runs in the environment of the adapter, which starts the server in the folder for every event.
"""

import json
import sys

from mcp.client.stdio import StdioServerParameters
from mcp_lambda import stdio_server_adapter  # type: ignore[import-not-found]  # not in this environment

folder, command, *arguments = sys.argv[1:]
server = StdioServerParameters(command=command, args=arguments, cwd=folder)
for line in sys.stdin:
    sys.stdout.write(json.dumps(stdio_server_adapter(server, json.loads(line), None)) + "\n")
    sys.stdout.flush()
