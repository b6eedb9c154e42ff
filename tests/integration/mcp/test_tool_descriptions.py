"""Descriptions that servers give about their tools besides the schemas: title, hints, icons and visibility."""

import os
from collections.abc import Iterator

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.domain.arguments import file_forms
from satchel.domain.conversation import Icon, ToolHints, ToolSpec
from satchel.domain.servers import ServerEntry
from tests.integration.mcp.tool_caller import SERVER_PROGRAMS


@pytest.fixture(scope="module")
def tools(loop: EventLoop) -> Iterator[dict[str, ToolSpec]]:
    entry = ServerEntry(command=["python", "described_tools.py"], cwd=str(SERVER_PROGRAMS))
    client = McpToolClient("described", entry, loop, os.environ)
    yield {tool.name: tool for tool in client.list_tools()}
    client.close()


def test_title_and_hints_are_listed(tools: dict[str, ToolSpec]) -> None:
    wipe = tools["wipe"]

    assert wipe.title == "Wipe the disk"
    assert wipe.hints == ToolHints(read_only=False, destructive=True, idempotent=True, open_world=False)


def test_only_icons_with_harmless_addresses_are_listed(tools: dict[str, ToolSpec]) -> None:
    assert tools["wipe"].icons == [Icon(src="https://icons.example/wipe.png", mime="image/png", sizes=["48x48"])]


@pytest.mark.parametrize(("tool", "for_model"), [("wipe", True), ("app_only", False), ("app_and_model", True)])
def test_tools_that_only_apps_may_call_are_marked(tools: dict[str, ToolSpec], tool: str, *, for_model: bool) -> None:
    assert tools[tool].for_model is for_model


@pytest.mark.parametrize(
    ("tool", "may_destroy"), [("wipe", True), ("look", False), ("add", False), ("app_only", True), ("unsure", True)]
)
def test_tool_may_destroy_unless_its_server_denies_it(
    tools: dict[str, ToolSpec], tool: str, *, may_destroy: bool
) -> None:
    assert tools[tool].may_destroy is may_destroy


def test_model_names_the_files_of_arguments_that_are_file_objects(tools: dict[str, ToolSpec]) -> None:
    spec = tools["print_files"]
    properties = spec.input_schema["properties"]

    assert (properties["picture"]["type"], properties["pages"]["items"]) == ("string", {"type": "string"})
    assert properties["copies"] == {"default": 1, "type": "integer"}
    forms = file_forms(spec, {})
    assert forms == {"picture": "object", "pages": "object"}
