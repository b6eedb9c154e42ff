"""Specification 4, Creating an MCP Server: the printed server, seen by its users and by the model."""

import pytest

from tests.e2e.specifications.chat import Chat
from tests.e2e.specifications.conftest import NewChat
from tests.e2e.user_client import Json

DESCRIPTION = "An example server with a simple tool."
DOCSTRING = (
    "A simple tool that takes a string and returns a dictionary.\n"
    "The docstring is used as the tool's description for the LLM."
)


def listed_servers(chat: Chat) -> dict[str, Json]:
    """Return the servers that the user sees, by name."""
    return {server["name"]: server for server in chat.user.request("GET", "/api/tools").json()["servers"]}


@pytest.mark.clause("v4:server:script", "v4:results:dictionary", "v1:extract:wrap")
@pytest.mark.parametrize("parameter", ["hello", "", 'quotes " and\nlines', "日本"], ids=ascii)
def test_dictionary_of_the_printed_tool_becomes_the_results(parameter: str, chat: Chat) -> None:
    turn = chat.call("MyExampleServer.my_tool", {"parameter": parameter})
    results = {"input_received": parameter, "status": "success"}
    assert (turn.call["results"], turn.tool_result["results"]) == (results, results)
    assert turn.events_of("tool_complete")[0]["results"] == results
    assert (turn.call["is_error"], turn.artifacts) == (False, [])


@pytest.mark.clause("v4:tools:docstring")
def test_docstring_is_the_description_that_the_model_and_the_user_see(chat: Chat) -> None:
    offered = chat.run(message="hello", servers=["MyExampleServer"]).offered_tools
    tools = {tool["name"]: tool["description"] for tool in listed_servers(chat)["MyExampleServer"]["tools"]}
    assert DOCSTRING in offered["MyExampleServer_my_tool"]["description"]
    assert DOCSTRING in tools["my_tool"]
    assert tools["create_html_report"] == "Generates and returns an HTML report as an artifact."
    assert offered["MyExampleServer_my_tool"]["parameters"]["required"] == ["parameter"]


@pytest.mark.clause("v4:contract:example")
def test_printed_report_is_stored_shown_first_and_opened(chat: Chat) -> None:
    turn = chat.call("MyExampleServer.create_html_report", {"title": "Q3"})
    summary = {"summary": "Successfully generated report: Q3"}
    assert (turn.call["results"], turn.tool_result["results"]) == (summary, summary)
    (file,) = turn.artifacts
    assert (file["name"], file["mime"], file["viewer"], file["position"]) == ("report.html", "text/html", "html", 0)
    assert turn.download(file) == b"<html><body><h1>Q3</h1></body></html>"
    assert (turn.response["display"]["open_canvas"], turn.response["display"]["primary_file"]) == (True, "report.html")
    assert turn.tool_result["files"] == ["report.html"]
    assert [listed["name"] for listed in chat.files()] == ["report.html"]


@pytest.mark.clause("v4:registry:description")
def test_description_of_the_entry_is_shown_with_the_server(chat: Chat) -> None:
    server = listed_servers(chat)["MyExampleServer"]
    assert (server["description"], server["status"]) == (DESCRIPTION, "ready")


@pytest.mark.clause("v4:registry:groups")
def test_server_is_hidden_from_users_and_models_outside_its_groups(new_chat: NewChat) -> None:
    seen = {}
    for groups in ("users", "users,staff"):
        chat = new_chat(groups)
        turn = chat.call("restricted.tell_process")
        offered = any(name.startswith("restricted") for name in turn.offered_tools)
        seen[groups] = (offered, "restricted" in listed_servers(chat), turn.call["error_code"])
    assert seen["users"] in [(False, False, "E_FORBIDDEN"), (False, False, "E_UNKNOWN_TOOL")]
    assert seen["users,staff"] == (True, True, None)
