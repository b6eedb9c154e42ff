"""The tools of a published server that ask the user: forms, links, and the error that a link must be visited first."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.domain.inputs import InputAnswer, parse_elicitation
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import AskedQuestion, ToolResult
from satchel.services.turns.inputs import check_answer
from tests.integration.mcp.tool_caller import ToolCaller

NODE_MODULES = Path(__file__).parents[3] / ".venv/published-servers-node"
PROGRAM = NODE_MODULES / "node_modules/@modelcontextprotocol/server-everything/dist/index.js"
YES = InputAnswer(input_id="1-0", action="accept")
NAME = YES.model_copy(update={"content": {"name": "Ada"}})
PAGE = "https://login.example/in"

pytestmark = pytest.mark.skipif(
    "CI" not in os.environ and (shutil.which("node") is None or not PROGRAM.exists()),
    reason="no Node, or the server is not installed (make test does that)",
)


@pytest.fixture(scope="module")
def everything(loop: EventLoop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolCaller]:
    entry = ServerEntry(command=["node", str(PROGRAM), "stdio"], read_paths=[str(NODE_MODULES)])
    client = McpToolClient("everything", entry, loop, os.environ)
    yield ToolCaller(client, tmp_path_factory.mktemp("home"))
    client.close()


def text_of(result: object) -> str:
    assert isinstance(result, ToolResult), result
    return "\n".join(block["text"] for block in result.raw["content"])


def test_form_with_every_type_of_field_is_answered(everything: ToolCaller) -> None:
    *events, result = everything.answered("trigger-elicitation-request", NAME)
    (request,) = [event.request for event in events if isinstance(event, AskedQuestion)]
    question = parse_elicitation("", request)

    assert question.form is not None
    assert {field.type for field in question.form.properties.values()} == {
        "string", "boolean", "integer", "number", "array",
    }  # fmt: skip
    assert check_answer(question, NAME) == NAME
    assert "Name: Ada" in text_of(result)


@pytest.mark.parametrize(("arguments", "questions"), [({}, 1), ({"errorPath": True}, 2)])
def test_link_is_visited_in_the_call_or_before_it_is_repeated(
    everything: ToolCaller, arguments: dict[str, bool], questions: int
) -> None:
    *events, result = everything.answered("trigger-url-elicitation", YES, YES, url=PAGE, **arguments)
    requests = [event.request for event in events if isinstance(event, AskedQuestion)]

    assert [request["mode"] for request in requests] == ["url"] * questions
    assert requests[-1]["url"] == PAGE
    assert f"URL: {PAGE}" in text_of(result)
