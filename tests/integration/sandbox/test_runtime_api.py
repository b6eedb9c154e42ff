"""Lambda's runtime API: a tool that reaches it can answer the running call and take the next one (docs/security.md).

Like that of Lambda, the runtime API of these tests is an HTTP server on a loopback address without authentication.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.domain.isolation import Isolation
from tests.attacks.target import MCP_SERVERS
from tests.e2e.system_process import ROOT
from tests.integration.sandbox.conftest import LAYERS, needs_kernel, sandboxed
from tests.integration.sandbox.sandboxed_server import CallOutcome, SandboxedServer

NEXT = "/2018-06-01/runtime/invocation/next"
VARIABLE = "AWS_LAMBDA_RUNTIME_API"
INTRUDER = {"command": ["python", "intruder.py"], "cwd": str(MCP_SERVERS)}


@dataclass
class RuntimeApi:
    """A runtime API. ``requests`` are the paths that were requested from it."""

    address: str = ""
    requests: list[str] = field(default_factory=list)


@pytest.fixture
def runtime_api(monkeypatch: pytest.MonkeyPatch) -> Iterator[RuntimeApi]:
    api = RuntimeApi()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            api.requests.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"the next call")

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        api.address = f"127.0.0.1:{http.server_port}"
        monkeypatch.setenv(VARIABLE, api.address)
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        yield api
        http.shutdown()
        thread.join()


def take_next_call(server: SandboxedServer, api: RuntimeApi) -> CallOutcome:
    """Let a tool request the next call from the runtime API, and read its own environment."""
    requests = [["GET", f"http://{api.address}{NEXT}", {}]]
    return server.call("intrude", attempts={"requests": requests, "paths": ["/proc/self/environ"]})


@needs_kernel
def test_kernel_keeps_a_tool_without_network_from_the_runtime_api(
    loop: EventLoop, runtime_api: RuntimeApi, tmp_path: Path
) -> None:
    with sandboxed(loop, tmp_path / "alice", LAYERS, **INTRUDER, network=False) as server:
        assert "Permission denied" in take_next_call(server, runtime_api).error

    assert runtime_api.requests == []


def test_variable_with_the_address_of_the_runtime_api_reaches_no_tool(
    loop: EventLoop, runtime_api: RuntimeApi, isolation: Isolation, tmp_path: Path
) -> None:
    with sandboxed(loop, tmp_path / "alice", isolation, **INTRUDER) as server:
        environment = take_next_call(server, runtime_api).results["read"]["/proc/self/environ"]

    assert "TMPDIR=" in environment  # the tool can read its environment
    assert VARIABLE not in environment
    assert runtime_api.address not in environment


def test_tool_at_level_process_reaches_the_runtime_api_as_documented(
    loop: EventLoop, runtime_api: RuntimeApi, tmp_path: Path
) -> None:
    """No safeguard of this level filters connections, even with ``network: false``. Lambda has this level only."""
    with sandboxed(loop, tmp_path / "alice", Isolation(), **INTRUDER, network=False) as server:
        assert take_next_call(server, runtime_api).results["statuses"] == [200]

    assert runtime_api.requests == [NEXT]
    documented = " ".join((ROOT / "docs/security.md").read_text(encoding="utf-8").split())
    assert "the tool can also reach the runtime's local API, which has no authentication" in documented
