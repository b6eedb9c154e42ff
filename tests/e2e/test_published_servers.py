"""Published servers of many authors in one system, configured as their READMEs print it (docs/servers.md)."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from mcp_config import server_name
from tests.e2e.published_servers.installed import NODE, entries, package_of, printed_entries, with_installed_program
from tests.e2e.system_process import ROOT, SystemProcess, free_port, running_system
from tests.e2e.user_client import Json, UserClient, run_user, wait_for_tools

# CI always has Node, so CI must not skip these tests silently.
pytestmark = pytest.mark.skipif(
    "CI" not in os.environ and (shutil.which("node") is None or not NODE.exists()),
    reason="no Node, or the servers are not installed (make test does that)",
)

OWN_KEYS = {"allow_private", "file_arguments", "writes"}
"""The keys of mcp.json that no other program has."""

REMOTE = {"everything-http": "streamableHttp", "everything-sse": "sse"}
ADDED_ARGUMENTS = {"fetch": ["--allow-private-ips"]}
"""Options of the README that its configuration does not have: the test's page is on this machine."""

NOT_PRINTED = {"markitdown"}
"""Its README prints a configuration for Docker only, and the command without it."""


@dataclass(frozen=True)
class Steps:
    """Calls in one session with the text that the last result contains, and the files that the calls return."""

    calls: list[tuple[str, Json]]
    text: str
    files: set[str] = field(default_factory=set)
    upload: str | None = None
    is_error: bool = False


_EVERYTHING = Steps(
    [
        ("get-tiny-image", {}),
        ("gzip-file-as-resource", {"name": "a.gz", "data": "data:text/plain,forty-two"}),
        ("get-sum", {"a": 20, "b": 22}),
    ],
    "is 42",
    {"image-2.png", "a.gz"},
)
_THOUGHT = {"thought": "x", "nextThoughtNeeded": True, "totalThoughts": 2}
_BARS = {"data": [{"category": "a", "value": 42}], "title": "Answer"}
_DOCUMENT = {"filename": "{workspace}/notes.docx"}
_SLIDES = {"presentation_id": "deck"}
STEPS = {
    "everything": _EVERYTHING,
    "everything-http": replace(
        _EVERYTHING,
        calls=[*_EVERYTHING.calls, ("simulate-research-query", {"topic": "ducks"})],
        text="Research Report: ducks",
    ),
    "everything-sse": _EVERYTHING,
    "sequential-thinking": Steps(
        [("sequentialthinking", {**_THOUGHT, "thoughtNumber": number}) for number in (1, 2)],
        '"thoughtHistoryLength": 2',
    ),
    "mcp-echarts": Steps([("generate_bar_chart", _BARS)], "null", {"image-1.png"}),
    "mcp-server-chart": Steps([("generate_bar_chart", _BARS)], "https://charts.example/42.png"),
    "mcp-server-code-runner": Steps([("run-code", {"code": "console.log(6 * 7)", "languageId": "javascript"})], "42"),
    "map": Steps([("show-map", {"label": "London"})], "(London)", {"show-map.app.html"}),
    "budget-allocator": Steps([("get-budget-data", {})], '"marketing"', {"get-budget-data.app.html"}),
    "basic-react": Steps([("get-time", {})], "Z", {"get-time.app.html"}),
    "system-monitor": Steps([("get-system-info", {})], '"hostname"', {"get-system-info.app.html"}),
    "fetch": Steps([("fetch", {"url": "{site}/page", "raw": True})], "forty-two"),
    "calculator": Steps([("calculate", {"expression": "6*7"})], '"42"'),
    "DuckDB-in-memory-r-w": Steps(
        [("execute_query", {"sql": "create table t as select 6 * 7 as n"}), ("execute_query", {"sql": "from t"})],
        "42",
    ),
    "word-document-server": Steps(
        [
            ("create_document", _DOCUMENT),
            ("add_paragraph", _DOCUMENT | {"text": "forty-two"}),
            ("add_paragraph", {"filename": "notes.docx", "text": "forty-three"}),
            ("get_document_text", {"filename": "notes.docx"}),
        ],
        "forty-three",
        {"notes.docx"},
    ),
    "ppt": Steps(
        [
            ("create_presentation", {"id": "deck"}),
            ("add_slide", _SLIDES | {"title": "forty-two", "layout_index": 0}),
            ("save_presentation", _SLIDES | {"file_path": "deck.pptx"}),
            ("extract_slide_text", _SLIDES | {"slide_index": 0}),
        ],
        "forty-two",
        {"deck.pptx"},
    ),
    "arxiv": Steps([("list_papers", {})], '"total_papers": 0'),
    "awslabs.aws-documentation-mcp-server": Steps(
        [("read_documentation", {"url": "https://example.com/a.html"})], "supported domains", is_error=True
    ),
    "markitdown": Steps([("convert_to_markdown", {"uri": "table.csv"})], "| forty-two |", upload="table.csv"),
}
ONLY_LISTED = {"playwright"}


class _Page(BaseHTTPRequestHandler):
    """A page to fetch, and a service that draws charts."""

    def do_GET(self) -> None:
        self._answer(200 if self.path == "/page" else 404, "text/plain", b"forty-two")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        answer = {"success": True, "resultObj": "https://charts.example/42.png"}
        self._answer(200, "application/json", json.dumps(answer).encode())

    def _answer(self, status: int, mime: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", mime)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        """Log nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Page) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def system(site: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SystemProcess]:
    """A system with all servers, after they have listed their tools."""
    config = tmp_path_factory.mktemp("published") / "mcp.json"
    servers = {name: with_installed_program(entry) for name, entry in entries().items()}
    config.write_text(json.dumps({"mcpServers": servers}))
    settings = {"SATCHEL_MCP_CONFIG": str(config), "SITE_URL": site}
    with ExitStack() as stack:
        for name, transport in REMOTE.items():
            port = free_port()
            path = "sse" if transport == "sse" else "mcp"
            settings[f"{server_variable(name)}_URL"] = f"http://127.0.0.1:{port}/{path}"
            command = [str(NODE / ".bin/mcp-server-everything"), transport]
            environment = {**os.environ, "PORT": str(port)}
            process = stack.enter_context(
                subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)  # noqa: S603  (a pinned package)
            )
            stack.callback(process.kill)
            assert process.stderr is not None
            while b" port " not in process.stderr.readline():
                assert process.poll() is None
        running = stack.enter_context(running_system(settings=settings))
        wait_for_tools(running.url)
        yield running


def server_variable(name: str) -> str:
    return re.sub(r"\W", "_", name).upper()


def test_every_server_lists_its_tools(system: SystemProcess) -> None:
    listed = UserClient(system.url, run_user("lists")).request("GET", "/api/tools").json()["servers"]
    states = {server["name"]: (server["status"], server["reason"]) for server in listed}

    assert states == dict.fromkeys([*map(server_name, entries()), "satchel"], ("ready", None))
    assert [server["name"] for server in listed if not server["tools"]] == []
    assert {server_name(name) for name in entries()} <= STEPS.keys() | ONLY_LISTED


@pytest.mark.parametrize("server", sorted(STEPS.keys() & set(map(server_name, entries()))))
def test_published_server_answers_and_its_files_arrive(system: SystemProcess, site: str, server: str) -> None:
    steps = STEPS[server]
    user = UserClient(system.url, run_user(f"{list(STEPS).index(server)}-caller"))
    session = user.create_session()
    if steps.upload:
        user.upload(session, steps.upload, b"a,b\nforty-two,2\n")
    files: set[str] = set()
    for tool, arguments in steps.calls:
        text = json.dumps(arguments).replace("{workspace}", f"/tmp/{user.name}").replace("{site}", site)
        response = user.ask(session, f"/{server}.{tool} {text}")
        (call,) = response["tool_calls"]
        assert call["is_error"] is steps.is_error, call
        files |= {artifact["name"] for artifact in response["artifacts"]}

    assert steps.text in json.dumps(call["results"])
    assert files == steps.files


@pytest.mark.skipif("markitdown" not in entries(), reason="the server needs an older Python")
def test_resource_of_a_server_is_an_input_file_of_another(system: SystemProcess) -> None:
    user = UserClient(system.url, run_user(f"{list(STEPS).index('markitdown')}-caller"))
    session = user.create_session()
    listed = user.request("GET", "/api/resources?server=everything").json()
    uri = next(each["uri"] for each in listed["resources"] if each["mime"] == "text/markdown")
    assert listed["templates"]

    (file,) = user.ask(session, f"/everything.read_resource {json.dumps({'uri': uri})}")["artifacts"]
    converted = user.ask(session, f"/markitdown.convert_to_markdown {json.dumps({'uri': file['name']})}")

    (call,) = converted["tool_calls"]
    assert call["is_error"] is False
    assert "# Everything Server" in json.dumps(call["results"])


@pytest.mark.parametrize("server", [name for name in entries() if name not in {*REMOTE, *NOT_PRINTED}])
def test_entry_is_printed_in_the_readme_of_its_package(server: str) -> None:
    entry = {key: value for key, value in entries()[server].items() if key not in OWN_KEYS}
    added = ADDED_ARGUMENTS.get(server, [])
    entry["args"] = [text for text in entry["args"] if text not in added]
    package = package_of(entry)
    assert package is not None

    printed = list(printed_entries(package))
    values = {name: "<" for name, value in entry.get("env", {}).items() if value.startswith("${")}
    assert any(_filled(each, values) == _filled(entry, values) for each in printed), printed


def _filled(entry: Json, values: Json) -> Json:
    """Return the entry without the values that its README leaves to the reader."""
    return entry | ({"env": {**entry.get("env", {}), **values}} if values else {})


def test_document_lists_every_server() -> None:
    rows = (ROOT / "docs/servers.md").read_text("utf-8")

    assert [name for name in entries() if f"| {name} |" not in rows] == []
