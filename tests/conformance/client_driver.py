"""Calls the tools of the suite's servers with the client that runners use.

The suite starts a program for each scenario. Importing the client takes a second, so the program (``forward.py``) only
forwards the scenario to this process, which runs it.
"""

import json
import logging
import os
import socketserver
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any, cast

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.domain.conversation import ToolSpec
from satchel.domain.inputs import Form, InputAnswer, RequestedInput, parse_elicitation
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import Answers, AskedQuestion, CallFailure, InputRequired, ToolResult
from satchel.services.turns.inputs import check_answer
from tests.fakes.server_sessions import FakeServerSessions

logger = logging.getLogger(__name__)

CALL_SECONDS = 100.0
_ACCEPTED = InputAnswer(input_id="1-0", action="accept")  # of a user who changes nothing
_VALUES = {"string": "us-west1", "integer": 3, "number": 3, "boolean": True, "object": {}, "array": []}


class _Handler(socketserver.StreamRequestHandler):
    """Runs the scenario that ``forward.py`` sends as a line of JSON, and answers with the exit code for the suite."""

    def handle(self) -> None:
        scenario = json.loads(self.rfile.readline())
        try:
            run_scenario(cast("_Server", self.server).loop, scenario["url"], json.loads(scenario["context"] or "{}"))
        except Exception as error:
            logger.info("scenario failed", extra={"scenario": scenario["name"]}, exc_info=True)
            self.wfile.write(f"1 {error}".encode())
        else:
            self.wfile.write(b"0 ok")


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    loop: EventLoop


@contextmanager
def serving() -> Iterator[int]:
    """Serve scenarios, and yield the port."""
    loop = EventLoop()
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.loop = loop
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()
    loop.close()


def run_scenario(loop: EventLoop, url: str, context: dict[str, Any]) -> None:
    """List the tools of a server and call them, in the way of a runner: as one conversation, with the listed schemas.

    ``context`` may name the calls. Otherwise, each tool is called once with simple values.
    """
    client = McpToolClient("suite", ServerEntry(url=url, allow_private=True), loop, os.environ)
    conversation = FakeServerSessions()
    try:
        tools = {tool.name: tool for tool in client.list_tools()}
        calls = [(call["name"], call["arguments"]) for call in context.get("toolCalls", [])]
        for name, arguments in calls or [(name, _arguments(tool, tools)) for name, tool in tools.items()]:
            event, answers = None, None
            while answers or event is None:
                event = _call(client, name, arguments, tools[name], conversation, answers)
                answers = _answer(event) if isinstance(event, InputRequired) else None
            assert isinstance(event, ToolResult), event
    finally:
        client.close()


def _call(
    client: McpToolClient,
    name: str,
    arguments: dict[str, Any],
    tool: ToolSpec,
    conversation: FakeServerSessions,
    answers: Answers | None,
) -> ToolResult | InputRequired | CallFailure:
    with client.call(
        name,
        arguments,
        None,
        writes=False,
        input_schema=tool.input_schema,
        sessions=conversation,
        answers=answers,
        can_ask=True,
    ) as running:
        while not isinstance(event := running.receive(CALL_SECONDS), ToolResult | InputRequired | CallFailure):
            if event is None:
                raise TimeoutError(name)
            if isinstance(event, AskedQuestion):
                running.reply(event.id, check_answer(parse_elicitation("", event.request), _ACCEPTED))
    return event


def _answer(event: InputRequired) -> Answers:
    """Accept all questions, with the defaults of their forms, as the page does for a user who changes nothing."""
    requested = RequestedInput.parse(event.requests, event.state)
    responses = {each.key: {"action": "accept", "content": _defaults(each.form)} for each in requested.questions}
    return Answers(responses, requested.state)


def _defaults(form: Form | None) -> dict[str, Any]:
    fields = form.properties if form else {}
    return {name: _VALUES[field.type] if field.default is None else field.default for name, field in fields.items()}


def _arguments(tool: ToolSpec, tools: dict[str, ToolSpec]) -> dict[str, Any]:
    """Return simple values for the required arguments. The argument ``schema`` gets the schema of another tool."""
    properties = tool.input_schema.get("properties", {})
    arguments = {name: _VALUES.get(properties[name].get("type"), "x") for name in tool.input_schema.get("required", [])}
    if "schema" in arguments:
        arguments["schema"] = next(each.input_schema for each in tools.values() if each.name != tool.name)
    return arguments
