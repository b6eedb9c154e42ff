"""Errors of servers that do not start: they say why, and what to change."""

import os
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.adapters.sandbox.probe import find_layers
from satchel.contract.errors import ToolCrashed
from satchel.domain.servers import ServerEntry

LAYERS = find_layers()
needs_kernel = pytest.mark.skipif(LAYERS.level != "kernel", reason="this kernel does not enforce the sandbox layers")
OLD_SERVER = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    print(message["method"], file=sys.stderr, flush=True)
    answer = {"jsonrpc": "2.0", "id": message.get("id")}
    if message["method"] == "initialize":
        info = {"name": "old", "version": "1"}
        answer["result"] = {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": info}
    elif message["method"] == "tools/list":
        answer["result"] = {"tools": []}
    else:
        answer["error"] = {"code": -32601, "message": "unknown method"}
    if "id" in message:
        print(json.dumps(answer), flush=True)
"""


def start_error(loop: EventLoop, entry: dict[str, Any], **options: Any) -> str:  # noqa: ANN401  (options of the client)
    """Return the error of a server that does not start."""
    client = McpToolClient("bad", ServerEntry.model_validate(entry), loop, os.environ, **options)
    with closing(client), pytest.raises(ToolCrashed) as raised:
        client.list_tools()
    return raised.value.message.partition(" (log: ")[0]


def python(code: str, **fields: object) -> dict[str, object]:
    return {"command": ["python", "-S", "-c", code], **fields}


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise SystemExit('set API_URL first')", "set API_URL first"),
        ("import sys; sys.exit('\\x1b[31mError: no file\\x1b[0m\\n\\nNode.js v20.0.0')", "Error: no file"),
        ("import os; os.write(2, b'x' * 100_000 + b'\\nlast'); os._exit(1)", "last"),
    ],
)
def test_error_of_a_start_has_the_reason_that_the_server_printed(loop: EventLoop, code: str, reason: str) -> None:
    assert start_error(loop, python(code)) == f"The tool's server ended with exit code 1 before it answered: {reason}"


def test_error_of_a_start_that_takes_too_long_has_the_last_line(loop: EventLoop) -> None:
    code = "import sys, time; print('waiting for the database', file=sys.stderr, flush=True); time.sleep(60)"

    error = start_error(loop, python(code), start_seconds=10)

    assert error == "The tool's server did not answer within 10 seconds of its start: waiting for the database"


def test_error_of_a_start_contains_no_value_of_the_environment(loop: EventLoop) -> None:
    code = "import os, sys; sys.exit('invalid key ' + os.environ['KEY'] + ' in ' + os.environ['FILE'])"
    entry = python(code, env={"KEY": "s3cret-s3cret", "FILE": "/srv/data/file"})

    assert start_error(loop, entry).endswith(": invalid key [redacted] in /srv/data/file")


def test_output_of_a_server_is_copied_to_the_log_of_its_runner(
    loop: EventLoop, capfd: pytest.CaptureFixture[str]
) -> None:
    start_error(loop, python("import sys; sys.exit('first line\\nlast line')"))

    assert "first line\nlast line\n" in capfd.readouterr().err


@needs_kernel
@pytest.mark.parametrize(
    ("code", "advice"),
    [
        ("open('/root/settings.json')", "To read this path, add it to `read_paths` of the server's entry in mcp.json"),
        ("import os; os.mkdir('/usr/data')", 'set `"writes": true` in the server\'s entry in mcp.json'),
    ],
)
def test_error_of_a_start_that_the_sandbox_blocked_names_path_and_key(loop: EventLoop, code: str, advice: str) -> None:
    error = start_error(loop, python(code), isolation=LAYERS)

    assert ("/root/settings.json" in error) or ("/usr/data" in error)
    assert advice in error


def test_older_handshake_is_remembered_for_the_next_start(loop: EventLoop, capfd: pytest.CaptureFixture[str]) -> None:
    entry = ServerEntry.model_validate(python(OLD_SERVER))
    with closing(McpToolClient("old", entry, loop, os.environ)) as client:
        client.list_tools()
        first = capfd.readouterr().err.splitlines()
        client.list_tools()
        second = capfd.readouterr().err.splitlines()

    assert first.index("server/discover") < first.index("initialize")
    assert "server/discover" not in second
    assert "initialize" in second


@contextmanager
def refusing_server(status: int) -> Iterator[str]:
    """Run a server that answers all requests with this status, and yield its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_DELETE = do_POST  # noqa: N815  (the names of http.server)

        def log_message(self, *_arguments: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/mcp"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("status", "fields", "answer"),
    [
        (401, {}, "HTTP 401 Unauthorized; set `auth_token` or `headers` in its entry of mcp.json"),
        (401, {"auth_token": "t"}, "401 Unauthorized; check the values of `auth_token` and `headers` in its entry of"),
        (403, {"transport": "sse"}, "HTTP 403 Forbidden; set `auth_token` or `headers` in its entry of mcp.json"),
        (404, {}, 'HTTP 404 Not Found; check its `url`, or set "transport": "sse" in its entry of mcp.json'),
        (405, {"transport": "sse"}, 'Method Not Allowed; check its `url`, or set "transport": "http" in its entry of'),
        (500, {}, "the server answered HTTP 500 Internal Server Error"),
    ],
)
def test_refused_connection_has_the_status_and_says_what_to_set(
    loop: EventLoop, status: int, fields: dict[str, str], answer: str
) -> None:
    with refusing_server(status) as url:
        error = start_error(loop, {"url": url, "allow_private": True, **fields})

    assert answer in error


def test_error_of_a_start_names_the_log(loop: EventLoop, tmp_path: Path) -> None:
    environ = {**os.environ, "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/{tmp_path.name}"}
    client = McpToolClient("bad", ServerEntry.model_validate(python("raise SystemExit(1)")), loop, environ)
    with closing(client), pytest.raises(ToolCrashed, match=rf"\(log: /aws/lambda/{tmp_path.name}\)$"):
        client.list_tools()
