"""Files that move outside of MCP messages (draft SEP-2631), with a real server over HTTP."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.adapters.workspace_files import open_artifact
from satchel.contract import normalize
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import CallFailure, FileTransfer, ToolEvent, ToolResult
from tests.integration.mcp.test_http_sessions import serve
from tests.integration.mcp.tool_caller import SERVER_PROGRAMS, TIMEOUT, json_of

PATH = "/tmp/alice@example.com/input_files"
TEXT = "a,b\n1,2\n" * 300_000
REPORT = "made,by\nthe,server\n" * 1000


@dataclass
class Caller:
    """Calls tools of the server with files of one workspace."""

    url: str
    client: McpToolClient
    workspace: Path
    max_bytes: int = 10 << 20

    def put(self, name: str, text: str = TEXT) -> str:
        """Store an input file, and return its path in arguments."""
        (self.workspace / "input_files" / name).write_text(text)
        return f"{PATH}/{name}"

    def transfer(self, *uploads: str) -> FileTransfer:
        names = [path.name for path in (self.workspace / "input_files").iterdir()]
        return FileTransfer(
            uploads=frozenset(uploads),
            inputs={f"{PATH}/{name}": name for name in names},
            open_input=lambda name: open_artifact(f"input_files/{name}", self.workspace, 1 << 30),
            workspace=self.workspace,
            max_bytes=self.max_bytes,
            received=[],
        )

    def call(self, tool: str, files: FileTransfer | None, **arguments: Any) -> ToolEvent | None:  # noqa: ANN401  (whatever a tool takes)
        with self.client.call(tool, arguments, None, writes=False, files=files) as running:
            while not isinstance(event := running.receive(TIMEOUT), ToolResult | CallFailure):
                assert event is not None
            return event

    def seen(self) -> list[dict[str, Any]]:
        """Return what the server got since the last call of this method."""
        seen: list[dict[str, Any]] = httpx2.get(f"{self.url}/seen", timeout=60).json()
        return seen


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    yield from serve(SERVER_PROGRAMS / "transfer_server.py")


@pytest.fixture
def caller(url: str, loop: EventLoop, tmp_path: Path) -> Iterator[Caller]:
    (tmp_path / "input_files").mkdir()
    entry = ServerEntry(url=f"{url}/mcp", allow_private=True, auth_token="secret", file_transfer=True)
    client = McpToolClient("transfer", entry, loop, os.environ)
    caller = Caller(url, client, tmp_path)
    caller.seen()
    yield caller
    client.close()


@pytest.mark.parametrize("name", ["sales.csv", "form.csv"])
def test_file_is_uploaded_and_the_tool_gets_the_servers_address(caller: Caller, name: str) -> None:
    path = caller.put(name)

    result = json_of(caller.call("describe", caller.transfer("document"), document=path))

    assert result == {"uri": f"mcp-file://transfer/{name}", "size": len(TEXT)}
    stored = httpx2.get(f"{caller.url}/download/{name}", headers={"X-Ticket": "t3"}, timeout=60)
    assert stored.text == TEXT


def test_server_learns_name_type_size_digest_and_the_capability_of_the_client(caller: Caller) -> None:
    path = caller.put("sales.csv", "a,b\n")
    caller.call("describe", caller.transfer("document"), document=path)

    authorized, uploaded = caller.seen()
    assert authorized["announced"] == {
        "name": "sales.csv",
        "mimeType": "text/csv",
        "size": 4,
        "digest": {"algorithm": "sha-256", "value": "W-CMloSh0l787gkxggSCQniwi7-0rvlz_-_QuddHgxM"},
    }
    assert authorized["files"] == {"upload": True, "download": True, "transports": ["https"]}
    # The upload has the server's headers, and not the secret of the entry.
    assert uploaded == {"x-ticket": "t1", "content-type": "text/csv", "content-length": "4", "authorization": None}


def test_each_file_of_a_list_is_uploaded_once_and_other_values_stay(caller: Caller) -> None:
    first, second = caller.put("first.csv"), caller.put("second.csv")
    arguments = [first, second, first, "mcp-file://transfer/earlier"]

    result = json_of(caller.call("compare", caller.transfer("documents"), documents=arguments))

    addresses = [f"mcp-file://transfer/{name}" for name in ("first.csv", "second.csv", "first.csv", "earlier")]
    assert result == addresses
    assert len([each for each in caller.seen() if "announced" in each]) == 2


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("refused.csv", "files/authorizeUpload failed: maxSizeExceeded"),
        ("insecure.csv", "the server named an address without https:"),
    ],
)
def test_call_fails_with_the_reason_if_a_file_cannot_be_uploaded(caller: Caller, name: str, reason: str) -> None:
    path = caller.put(name)
    outcome = caller.call("describe", caller.transfer("document"), document=path)

    assert isinstance(outcome, CallFailure)
    assert (outcome.crashed, outcome.message) == (
        False,
        f"A file could not be sent to the tool's server: {reason}",
    )


@pytest.mark.parametrize("place", [{}, {"structured": True}], ids=["content", "structured content"])
def test_file_of_a_result_is_fetched_into_the_workspace(caller: Caller, place: dict[str, bool]) -> None:
    files = caller.transfer()
    outcome = caller.call("make", files, name="report.csv", **place)

    assert isinstance(outcome, ToolResult)
    [artifact] = normalize(outcome.raw).artifacts
    assert (artifact.name, artifact.mime, artifact.path) == ("report.csv", "text/csv", str(files.received[0]))
    with open_artifact(str(artifact.path), caller.workspace, 1 << 20) as body:
        assert body.read().decode() == REPORT


@pytest.mark.parametrize(
    ("name", "max_bytes", "reason"),
    [
        ("absent.csv", 1 << 20, "files/authorizeDownload failed: unknown file"),
        ("forged.csv", 1 << 20, "its digest is another one"),
        ("report.csv", 1000, "the connection failed (TooLongError)"),
    ],
)
def test_file_that_cannot_be_fetched_or_differs_is_left_out_with_the_reason(
    caller: Caller, name: str, max_bytes: int, reason: str
) -> None:
    caller.max_bytes = max_bytes
    outcome = caller.call("make", caller.transfer(), name=name)

    assert isinstance(outcome, ToolResult)
    assert normalize(outcome.raw).artifacts == []
    assert outcome.raw["content"][-1]["text"] == f"The file {name!r} was not fetched: {reason}."


def test_without_the_key_the_server_learns_no_capability_and_nothing_is_fetched(
    url: str, loop: EventLoop, caller: Caller
) -> None:
    client = McpToolClient("plain", ServerEntry(url=f"{url}/mcp", allow_private=True), loop, os.environ)
    outcome = Caller(url, client, caller.workspace).call("make", None, name="report.csv")
    client.close()

    assert isinstance(outcome, ToolResult)
    assert outcome.raw["content"][-1]["type"] == "file"
    assert caller.seen() == []
