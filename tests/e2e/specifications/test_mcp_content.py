"""Content blocks of the Model Context Protocol: each kind becomes a file, or is reported."""

from collections.abc import Mapping

import pytest

from tests.e2e.specifications.chat import Chat, Turn
from tests.e2e.user_client import Json, UserClient
from tests.fake_providers.server import FakeEndpoint

BLOCKS: list[Json] = [
    {"type": "text", "text": "See the files."},
    {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
    {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
    {"type": "image", "data": "not base64!", "mimeType": "image/gif"},
    {"type": "resource", "resource": {"uri": "db://plan.md", "mimeType": "text/markdown", "text": "# Plan"}},
    {"type": "resource", "resource": {"uri": "db://rows/7", "mimeType": "application/pdf", "blob": "JVBERi0="}},
    {"type": "resource_link", "name": "made.csv", "uri": "file:///tmp/{username}/made.csv", "mimeType": "text/csv"},
    {"type": "resource_link", "name": "paper.pdf", "uri": "https://papers.example/7.pdf"},
    {"type": "hologram", "depth": 3},
]
FILES = {
    "image-2.png": ("image/png", b"\x89PNG\r\n\x1a\n"),
    "audio-3.wav": ("audio/wav", b"RIFF"),
    "plan.md": ("text/markdown", b"# Plan"),
    "rows-7.pdf": ("application/pdf", b"%PDF-"),
    "made.csv": ("text/csv", b"a,b\n"),
    "paper.pdf.link.txt": ("text/uri-list", b"https://papers.example/7.pdf"),
}


@pytest.fixture(scope="module")
def turn(user: UserClient, endpoint: FakeEndpoint) -> Turn:
    """A turn whose tool returned all blocks."""
    chat = Chat(user, user.create_session(), endpoint)
    return chat.call("spec3.give_raw", {"files": {"made.csv": "a,b\n"}, "result": {"content": BLOCKS}})


@pytest.fixture(scope="module")
def files(turn: Turn) -> Mapping[str, Json]:
    return {file["name"]: file for file in turn.artifacts}


@pytest.mark.clause("mcp:content:media", "mcp:content:resources", "mcp:content:links")
@pytest.mark.parametrize("name", FILES)
def test_content_block_with_a_file_or_link_becomes_an_artifact(
    name: str, turn: Turn, files: Mapping[str, Json]
) -> None:
    assert (files[name]["mime"], turn.download(files[name])) == FILES[name]
    assert name in turn.tool_result["files"]


@pytest.mark.clause("mcp:content:base64")
def test_content_block_with_invalid_base64_is_reported(turn: Turn) -> None:
    (problem,) = turn.call["meta_data"]["artifact_problems"]
    assert (problem["name"], problem["code"]) == ("image-4.gif", "E_INVALID_ARTIFACT")
    assert "base64" in problem["reason"]
    assert turn.tool_result["meta_data"]["artifact_problems"][0]["name"] == "image-4.gif"


@pytest.mark.clause("mcp:content:unknown")
def test_content_block_of_an_unknown_type_changes_neither_the_result_nor_the_files(
    turn: Turn, files: Mapping[str, Json]
) -> None:
    assert (turn.call["is_error"], turn.call["results"]) == (False, "See the files.")
    assert turn.tool_result["results"] == "See the files."
    assert files.keys() == FILES.keys()
    assert "hologram" not in str(turn.call["results"]) + str(turn.tool_result["results"])
