"""Prompts of servers as messages of `satchel ask`."""

import pytest

from tests.unit.cli.fake_server import SESSION, FakeServer
from tests.unit.cli.test_ask import ask

PLAN = {
    "server": "guide",
    "name": "plan",
    "description": "",
    "arguments": [
        {"name": "city", "description": "", "required": True},
        {"name": "street", "description": "", "required": False},
    ],
}


@pytest.fixture
def server() -> FakeServer:
    server = FakeServer()
    server.prompts = [PLAN]
    server.prompt_message = {
        "text": "Plan a day.",
        "files": [{"name": "notes.txt", "mime": "text/plain", "b64": "YQ=="}],
    }
    return server


def test_prompt_becomes_the_message_and_its_files_are_attached(server: FakeServer) -> None:
    assert ask(server, "/guide.plan city='San José' street=A=B") == 0

    arguments = {"city": "San José", "street": "A=B"}
    assert server.prompt_requests == [{"server": "guide", "name": "plan", "arguments": arguments}]
    assert server.uploads == [(SESSION, "notes.txt", b"a")]
    assert server.turn_requests == [{"message": "Plan a day.", "files": ["f00000000000000000000000901"]}]


@pytest.mark.parametrize(
    "arguments", ["", "street=x", "city=x town=y", "Lima", '{"city": "Lima"}', "city='Lima"], ids=repr
)
def test_wrong_arguments_show_how_to_write_the_prompt(
    server: FakeServer, capsys: pytest.CaptureFixture[str], arguments: str
) -> None:
    assert ask(server, f"/guide.plan {arguments}") == 2
    assert "/guide.plan" in capsys.readouterr().err
    assert (server.prompt_requests, server.turn_requests) == ([], [])


@pytest.mark.parametrize("message", ['/guide.look {"a": 1}\n/guide.look {}', "/guide.planner", "guide.plan", "/ what"])
def test_message_that_names_no_prompt_is_sent_unchanged(server: FakeServer, message: str) -> None:
    assert ask(server, message) == 0
    assert (server.turn_requests, server.prompt_requests) == ([{"message": message}], [])
