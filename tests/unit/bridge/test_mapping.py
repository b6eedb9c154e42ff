"""The table of docs/bridge.md: what each event of a turn becomes in AG-UI and in chat completions."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import httpx2
import pytest
from ag_ui.core import BaseEvent, CustomEvent, RunAgentInput, UserMessage

from local.bridge.ag_ui import InterruptId, Run
from local.bridge.caller import BridgeSettings, Caller, InvalidRequest
from local.bridge.chat_completions import ChatRequest, ChatText, TurnFailed, start_completion
from local.bridge.ui_messages import UIChatRequest, start_stream
from satchel.domain.responses import FinalResponse
from satchel.entrypoints.http import examples
from satchel_client import AsyncClient
from satchel_client.models import TokenStream
from tests.unit.cli.fake_server import CALL, SESSION, TURN, FakeServer, artifact, response

TABLE = Path(__file__).parents[3] / "docs/bridge.md"
PAGE = f"http://satchel.test/#{SESSION}"
AT = "2026-08-27T09:30:00Z"
ON_CALL = {"call_id": CALL}
TOOL = {**ON_CALL, "tool": "report.summarise", "server": "report"}
QUESTION = {**ON_CALL, "tool": "trip.book", "input_id": "1-0", "mode": "form", "message": "Where to?", "expires_at": AT}
FORM = {"type": "object", "properties": {"city": {"type": "string"}}, "required": []}
DISPLAY = {"open_canvas": True, "storage_action": "store"}
ENDED = {"type": "response_complete", "response": response().model_dump(mode="json")}
TOOL_CALL = ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"]
INTERMEDIATE = {**ON_CALL, "type": "intermediate_update"}
RESULTS = {"is_error": False, "error_code": None, "suggestion": None, "results": {"rows": 2}, "meta_data": None}
EVENTS: dict[str, dict[str, Any]] = {
    "turn_started": {"session_id": SESSION},
    "servers_starting": {"servers": ["report"]},
    "token_stream": {"text": "Hello", "round": 0, "attempt": 0},
    "reasoning_stream": {"text": "Hmm", "round": 0, "attempt": 0},
    "tool_approval_request": {**TOOL, "expires_at": AT},
    "tool_approval": {**ON_CALL, "approved": True, "edited": False, "reason": None},
    "input_requested": {**QUESTION, "schema": FORM},
    "input_answered": {**ON_CALL, "input_id": "1-0", "action": "accept"},
    "tool_start": {**TOOL, "arguments": {"filename": "sales.csv"}},
    "tool_progress": {**ON_CALL, "progress": 1, "total": 2, "percentage": 50, "message": "reading"},
    "tool_notice": {**ON_CALL, "seconds": 15, "left_seconds": 15, "message": "Still working…"},
    "tool_log": {**ON_CALL, "level": "info", "message": "reading"},
    "tool_complete": {**ON_CALL, "tool": "report.summarise", **RESULTS},
    "files_update": {
        **INTERMEDIATE,
        "update_type": "files_update",
        "files": [artifact("a.txt").model_dump()],
        "display": DISPLAY,
    },
    "canvas": {**INTERMEDIATE, "update_type": "canvas", "canvas": {"id": "c", "url": "https://dash.example.com"}},
    "notification": {**INTERMEDIATE, "update_type": "notification", "message": "Sent."},
    "response_complete": ENDED,
    "turn_failed": {"status": "failed", "error": {"error_code": "E_MODEL", "message": "The model is away."}},
}
AG_UI = {
    "turn_started": [],
    "token_stream": ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"],
    "reasoning_stream": [
        "REASONING_START",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
        "REASONING_END",
    ],
    "tool_approval_request": TOOL_CALL,
    "input_requested": [],
    "tool_start": TOOL_CALL,
    "tool_complete": ["TOOL_CALL_RESULT"],
    "response_complete": [],
    "turn_failed": ["RUN_ERROR"],
}
"""The events of AG-UI before RUN_FINISHED. All other events of a turn are one CUSTOM event."""

TEXTS = {
    "token_stream": "Hello",
    "tool_approval_request": f"**report.summarise needs your approval.** Allow or deny it in Satchel: {PAGE}",
    "input_requested": f"**trip.book asks: Where to?** Answer in Satchel: {PAGE}",
}


UI_MESSAGES = {
    "turn_started": [],
    "token_stream": ["text-start", "text-delta", "text-end"],
    "reasoning_stream": ["reasoning-start", "reasoning-delta", "reasoning-end"],
    "tool_approval_request": ["tool-input-available", "tool-approval-request"],
    "input_requested": ["data-satchel-input_requested", "text-start", "text-delta", "text-end"],
    "tool_start": ["tool-input-available"],
    "tool_complete": ["tool-output-available"],
    "files_update": ["data-satchel-files_update", "file"],
    "response_complete": [],
    "turn_failed": ["error"],
}
"""The chunks between `start-step` and `finish-step`. All other events of a turn are one data chunk."""

LASTING = {"input_requested", "files_update", "canvas", "notification"}


def rows(column: int = 0) -> dict[str, str]:
    """Return a column of the table by event: 0 is AG-UI, 1 chat completions, 2 npm `ai`."""
    events = TABLE.read_text().partition("## Events")[2]
    lines = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \| (.*?) \|$", events, re.MULTILINE)
    return {name: columns[column] for name, *columns in lines}


def serve(*events: dict[str, Any], final_response: FinalResponse | None = None) -> Caller:
    """Return a caller whose server has one turn with these events."""
    fake = FakeServer(final_response, list(events))

    def answer(request: httpx2.Request) -> httpx2.Response:
        path = request.url.path
        if path.endswith("/approval"):
            return httpx2.Response(200, json=examples.APPROVAL_REQUEST | {"call_id": CALL})
        if path.endswith("/link"):
            return httpx2.Response(201, json=examples.LINK_WITH_URL)
        return fake(request)

    client = AsyncClient("http://satchel.test", "t", transport=httpx2.MockTransport(answer))
    return Caller(client, BridgeSettings("http://satchel.test", 60))


def as_ag_ui(*events: dict[str, Any]) -> list[BaseEvent]:
    async def run() -> list[BaseEvent]:
        caller = serve(*events)
        message = UserMessage(id="m1", content="hello")
        agent_input = RunAgentInput(thread_id="t1", run_id="r1", messages=[message])
        return [event async for event in Run(caller, caller.client.session(SESSION), agent_input).events()]

    return asyncio.run(run())


def as_chat(*events: dict[str, Any], final_response: FinalResponse | None = None) -> str:
    async def run() -> str:
        request = ChatRequest.model_validate({"model": "offline", "messages": [{"role": "user", "content": "hello"}]})
        completion = await start_completion(
            serve(*events, final_response=final_response), request, None, idempotency_key=None
        )
        await completion.whole()
        return completion.history[-1].text

    return asyncio.run(run())


def as_ui_messages(*events: dict[str, Any]) -> list[dict[str, Any]]:
    async def run() -> list[str]:
        caller = serve(*events)
        message = {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "hello"}]}
        request = UIChatRequest.model_validate({"id": "c1", "messages": [message], "trigger": "submit-message"})
        stream = await start_stream(caller, caller.client.session(SESSION), request)
        return [line async for line in stream.lines()]

    *lines, last = asyncio.run(run())
    assert last == "[DONE]"
    return [json.loads(line) for line in lines]


def test_table_has_a_row_for_each_event() -> None:
    assert rows().keys() == EVENTS.keys()


@pytest.mark.parametrize("name", EVENTS)
def test_row_of_ag_ui_is_what_the_bridge_sends(name: str) -> None:
    event = {"type": name, **EVENTS[name]}
    ends = name in {"response_complete", "turn_failed"}
    sent = as_ag_ui(event) if ends else as_ag_ui(event, ENDED)

    expected = AG_UI.get(name, ["CUSTOM"])
    last = [] if name == "turn_failed" else ["RUN_FINISHED"]
    assert [each.type.value for each in sent] == ["RUN_STARTED", *expected, *last]
    assert all(f"`{each}`" in rows()[name] for each in expected if not each.endswith("_END") or each == "TOOL_CALL_END")
    custom = [each.name for each in sent if isinstance(each, CustomEvent)]
    assert custom == ([f"satchel.{name}"] if name not in AG_UI else [])


@pytest.mark.parametrize("name", [name for name in EVENTS if name not in {"response_complete", "turn_failed"}])
def test_row_of_chat_completions_is_what_the_bridge_sends(name: str) -> None:
    assert as_chat({"type": name, **EVENTS[name]}, ENDED) == TEXTS.get(name, "Done.")


@pytest.mark.parametrize("name", EVENTS)
def test_row_of_ui_messages_is_what_the_bridge_sends(name: str) -> None:
    event = {"type": name, **EVENTS[name]}
    ends = name in {"response_complete", "turn_failed"}
    sent = as_ui_messages(event) if ends else as_ui_messages(event, ENDED)

    expected = UI_MESSAGES.get(name, [f"data-satchel-{name}"])
    last = [] if name == "turn_failed" else ["finish-step", "finish"]
    assert [chunk["type"] for chunk in sent] == ["start", "start-step", *expected, *last]
    assert all(f"`{each}`" in rows(2)[name] for each in expected if not each.endswith("-end"))
    transient = [chunk.get("transient", False) for chunk in sent if chunk["type"].startswith("data-")]
    assert all(is_transient == (name not in LASTING) for is_transient in transient)
    assert ("transient" in rows(2)[name]) == any(transient)


def test_reasoning_of_chat_completions_is_no_part_of_the_text() -> None:
    async def run() -> tuple[list[dict[str, Any]], dict[str, Any], str]:
        kinds = ("reasoning_stream", "token_stream")
        events = [*({"type": kind, **EVENTS[kind]} for kind in kinds), ENDED]
        request = ChatRequest.model_validate({"model": "offline", "messages": [{"role": "user", "content": "hello"}]})
        streamed = await start_completion(serve(*events), request, None, idempotency_key=None)
        lines = [line async for line in streamed.stream()]
        completion = await start_completion(serve(*events), request, None, idempotency_key=None)
        whole = dict(await completion.whole())
        return [json.loads(line) for line in lines[:-1]], whole, completion.history[-1].text

    chunks, whole, history = asyncio.run(run())
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    assert deltas[1:3] == [{"reasoning_content": "Hmm"}, {"content": "Hello"}]
    message = whole["choices"][0]["message"]
    assert (message["content"], message["reasoning_content"], history) == ("Hello", "Hmm", "Hello")
    assert "`reasoning_content`" in rows(1)["reasoning_stream"]


def test_canceled_turn_aborts_the_ui_message() -> None:
    failed = {"type": "turn_failed", **EVENTS["turn_failed"], "status": "cancelled"}
    assert [chunk["type"] for chunk in as_ui_messages(failed)] == ["start", "start-step", "abort"]


def test_failed_turn_is_an_error_of_chat_completions() -> None:
    error = {"error_code": "E_MODEL", "message": "The model is away."}
    failed = response(status="failed", message="", error=error)
    with pytest.raises(TurnFailed, match="The model is away") as raised:
        as_chat({"type": "turn_failed", **EVENTS["turn_failed"]}, final_response=failed)
    assert raised.value.code == "E_MODEL"


def stream(*pieces: tuple[int, int, str]) -> str:
    """Return the text of pieces of (round, attempt, text)."""
    text = ChatText(PAGE)
    for seq, (round_, attempt, piece) in enumerate(pieces, 1):
        fields = {"seq": seq, "turn_id": TURN, "at": AT, "type": "token_stream"}
        text.add(TokenStream.model_validate({**fields, "round": round_, "attempt": attempt, "text": piece}))
    return text.text


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ([(0, 0, "Good "), (0, 0, "day")], "Good day"),
        ([(0, 0, "Let me look."), (1, 0, "It is 42.")], "Let me look.\n\nIt is 42."),
        ([(0, 0, "Good "), (0, 1, ""), (0, 1, "Good "), (0, 1, "day")], "Good day"),
        ([(0, 0, "Good"), (0, 1, "Hel"), (0, 1, "lo")], "Good\n\nHello"),
    ],
    ids=["one attempt", "two rounds", "the same words again", "other words"],
)
def test_streamed_text_only_grows(pieces: list[tuple[int, int, str]], text: str) -> None:
    assert stream(*pieces) == text


def test_interrupt_id_names_what_it_waits_for() -> None:
    for interrupt in (InterruptId(TURN, 5, CALL), InterruptId(TURN, 5, CALL, "1-0")):
        assert InterruptId.parse(str(interrupt)) == interrupt
    with pytest.raises(InvalidRequest, match="no interrupt 'x'"):
        InterruptId.parse("x")


def test_interrupt_of_a_question_has_its_form() -> None:
    finished = json.loads(
        as_ag_ui({"type": "input_requested", **EVENTS["input_requested"]})[-1].model_dump_json(by_alias=True)
    )
    [interrupt] = finished["outcome"]["interrupts"]
    assert interrupt["reason"] == "input_required"
    assert interrupt["responseSchema"]["properties"]["city"]["type"] == "string"
