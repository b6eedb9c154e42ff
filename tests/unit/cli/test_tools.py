"""What an author sees who lists the tools."""

import json
from typing import Any

import httpx2
import pytest

from local.cli.listing import list_tools
from tests.unit.cli.fake_server import FakeServer, problem

SCHEMA = {"properties": {"filename": {"type": "string"}, "rows": {"type": "integer"}}, "required": ["filename"]}
REPORT = {
    "name": "report",
    "description": "Makes reports.",
    "status": "ready",
    "reason": None,
    "tools": [
        {
            "server": "report",
            "name": "summarise",
            "description": "Summarise a table.\nIt may be long.",
            "input_schema": SCHEMA,
            "output_schema": None,
        },
        {"server": "report", "name": "ping", "description": "", "input_schema": {}},
    ],
}
BROKEN = {"name": "broken", "description": "", "status": "unavailable", "reason": "no such\nprogram", "tools": []}


def listed(*servers: dict[str, Any], as_json: bool = False) -> int:
    fake = FakeServer()
    fake.servers = list(servers)
    return list_tools("http://satchel.test", None, None, as_json=as_json, transport=httpx2.MockTransport(fake))


def test_tools_are_told_by_server_with_their_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert listed(REPORT) == 0
    assert capsys.readouterr().out.splitlines() == [
        "report (ready): Makes reports.",
        "  report.summarise filename [rows]",
        "    Summarise a table.",
        "  report.ping ",
    ]


def test_a_server_that_does_not_start_is_told_with_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert listed(REPORT, BROKEN) == 1
    assert capsys.readouterr().out.splitlines()[-2:] == ["broken (unavailable)", "  why: no such program"]


def test_json_holds_the_schemas(capsys: pytest.CaptureFixture[str]) -> None:
    assert listed(REPORT, as_json=True) == 0
    told = json.loads(capsys.readouterr().out)
    assert told[0]["tools"][0]["input_schema"] == SCHEMA


def test_control_characters_of_a_server_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    listed({**BROKEN, "reason": "\x1b[2Jgone"})
    assert "\x1b" not in capsys.readouterr().out


def test_a_server_that_refuses_is_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    refuse = httpx2.MockTransport(lambda _: problem(403, "You are nobody.", "E_FORBIDDEN"))
    assert list_tools("http://satchel.test", None, None, as_json=False, transport=refuse) == 2
    assert capsys.readouterr().err == "satchel: You are nobody. (E_FORBIDDEN)\n"
