"""Links to resources in results: the server's own resources are read and become files."""

import os
from collections.abc import Iterator
from typing import Any

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.adapters.mcp.linked_resources import MAX_LINKS
from satchel.contract import Artifact, normalize
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import ToolResult
from tests.integration.mcp.tool_caller import SERVER_PROGRAMS, ToolCaller


@pytest.fixture(scope="module")
def linking(loop: EventLoop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolCaller]:
    entry = ServerEntry(command=["python", "linking_server.py"], cwd=str(SERVER_PROGRAMS))
    client = McpToolClient("linking", entry, loop, os.environ)
    yield ToolCaller(client, tmp_path_factory.mktemp("home"))
    client.close()


def files(linking: ToolCaller, *uris: str) -> list[Artifact]:
    result = linking.outcome("links", uris=list(uris))
    assert isinstance(result, ToolResult)
    raw: dict[str, Any] = result.raw
    return list(normalize(raw).artifacts)


def test_linked_resources_become_files_with_their_content_and_names(linking: ToolCaller) -> None:
    text, blob = files(linking, "demo://text/1", "demo://blob/1")

    assert (text.name, text.mime, text.inline_bytes()) == ("Part 1 of text.txt", "text/plain", b"first")
    assert (blob.name, blob.inline_bytes()) == ("Part 1 of blob", bytes(range(4)))


@pytest.mark.parametrize("uri", ["demo://missing", "https://papers.example/7.pdf"])
def test_link_that_the_server_cannot_read_stays_a_link(linking: ToolCaller, uri: str) -> None:
    [link] = files(linking, uri)

    assert (link.mime, link.content) == ("text/uri-list", uri)


def test_resource_over_the_size_limit_stays_a_link_and_others_are_read(linking: ToolCaller) -> None:
    large, small = files(linking, "demo://large", "demo://text/1")

    assert (large.content, small.content) == ("demo://large", "first")


def test_only_the_first_links_are_read(linking: ToolCaller) -> None:
    stored = files(linking, *["demo://text/1"] * (MAX_LINKS + 1))

    assert [file.content for file in stored] == [*["first"] * MAX_LINKS, "demo://text/1"]


def test_server_stays_usable_after_its_resources_were_read(linking: ToolCaller) -> None:
    assert len(files(linking, "demo://text/1")) == len(files(linking, "demo://text/1")) == 1
