"""Tests of `satchel tools`: the list of tools."""

import json
from typing import Any

import httpx2
import pytest

from local.cli.connection import Connection
from local.cli.tools import list_tools
from tests.unit.cli.fake_server import FakeServer, problem

SCHEMA = {"properties": {"filename": {"type": "string"}, "rows": {"type": "integer"}}, "required": ["filename"]}
PING: dict[str, Any] = {
    "server": "report",
    "name": "ping",
    "title": None,
    "description": "",
    "input_schema": {},
    "output_schema": None,
    "hints": None,
    "icons": [],
    "for_model": True,
    "for_app": True,
    "app_uri": None,
    "method": "tools/call",
    "needs_task": False,
    "asks_while_running": False,
}
REPORT = {
    "name": "report",
    "title": "Report",
    "description": "Makes reports.",
    "status": "ready",
    "reason": None,
    "tools": [
        PING
        | {
            "name": "summarise",
            "description": "Summarise a table.\nIt may be long.",
            "input_schema": SCHEMA,
        },
        PING,
    ],
}
BROKEN = {
    "name": "broken",
    "title": "Broken",
    "description": "",
    "status": "unavailable",
    "reason": "no such\nprogram",
    "tools": [],
}


def run_tools(*servers: dict[str, Any], as_json: bool = False) -> int:
    fake = FakeServer()
    fake.servers = list(servers)
    return list_tools(Connection("http://satchel.test", transport=httpx2.MockTransport(fake)), as_json=as_json)


def test_tools_are_listed_by_server_with_their_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_tools(REPORT) == 0
    assert capsys.readouterr().out.splitlines() == [
        "report (ready): Makes reports.",
        "  report.summarise filename [rows]",
        "    Summarise a table.",
        "  report.ping ",
    ]


def test_unavailable_server_is_listed_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_tools(REPORT, BROKEN) == 1
    assert capsys.readouterr().out.splitlines()[-2:] == ["broken (unavailable)", "  why: no such program"]


def test_json_includes_the_schemas(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_tools(REPORT, as_json=True) == 0
    servers = json.loads(capsys.readouterr().out)
    assert servers[0]["tools"][0]["input_schema"] == SCHEMA


def test_control_characters_of_a_server_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    run_tools({**BROKEN, "reason": "\x1b[2Jgone"})
    assert "\x1b" not in capsys.readouterr().out


def test_api_error_is_printed_as_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    refuse = httpx2.MockTransport(lambda _: problem(403, "You are not signed in.", "E_FORBIDDEN"))
    assert list_tools(Connection("http://satchel.test", transport=refuse), as_json=False) == 2
    assert capsys.readouterr().err == "satchel: You are not signed in. (E_FORBIDDEN)\n"


@pytest.mark.parametrize(
    ("hints", "words"),
    [
        ({"destructive": True}, "Ping it, may destroy data"),
        ({"read_only": True}, "Ping it, only reads"),
        (None, "Ping it"),
    ],
)
def test_title_and_effects_of_a_tool_are_shown(
    capsys: pytest.CaptureFixture[str], hints: dict[str, bool] | None, words: str
) -> None:
    tool = PING | {"title": "Ping it", "hints": hints}
    assert run_tools({**REPORT, "tools": [tool]}) == 0
    assert capsys.readouterr().out.splitlines()[-1].strip() == words
