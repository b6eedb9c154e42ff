"""The table of docs/bridge.md: what each event of a turn becomes in AG-UI and in chat completions."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import httpx2
import pytest
from ag_ui.core import BaseEvent, RunAgentInput

from local.bridge.ag_ui import InterruptId, Run
from local.bridge.caller import BridgeSettings, Caller, InvalidRequest
from local.bridge.chat_completions import ChatRequest, ChatText, TurnFailed, start_completion
from local.bridge.ui_messages import UIChatRequest, start_stream
from satchel.domain.responses import FinalResponse
from satchel.entrypoints.http import examples
from satchel_client import AsyncClient
from satchel_client.models import TokenStream
from tests.unit.cli.fake_server import CALL, SESSION, TURN, FakeServer, response

TABLE = Path(__file__).parents[3] / "docs/bridge.md"
PAGE = f"http://satchel.test/#{SESSION}"
AT = "2026-08-27T09:30:00Z"
FIXTURE: dict[str, Any] = json.loads((Path(__file__).parent / "ag_ui_events.json").read_text())
"""Events of a turn, and the events of AG-UI for them. The tests of the TypeScript client read the same file."""

EVENTS: dict[str, dict[str, Any]] = {name: row["event"] for name, row in FIXTURE["events"].items()}
ENDED = EVENTS["response_complete"]

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
    return as_caller(FakeServer(final_response, list(events)))


def as_caller(fake: FakeServer) -> Caller:
    def answer(request: httpx2.Request) -> httpx2.Response:
        path = request.url.path
        if path.endswith("/approval"):
            fake.requests.append(request)
            body = FIXTURE["approval"] if request.method == "GET" else examples.DECISION
            return httpx2.Response(200, json=body)
        if path.endswith("/turns/t1"):
            return httpx2.Response(200, json={**ENDED["response"], "inputs": FIXTURE["inputs"]})
        if path.endswith("/link"):
            return httpx2.Response(201, json=examples.LINK_WITH_URL | FIXTURE["link"])
        return fake(request)

    client = AsyncClient("http://satchel.test", "t", transport=httpx2.MockTransport(answer))
    return Caller(client, BridgeSettings("http://satchel.test", 60))


def as_ag_ui(fake: FakeServer, content: Any = "hello", resume: dict[str, Any] | None = None) -> list[dict[str, Any]]:  # noqa: ANN401  (JSON)
    """Run a turn for a message, or resume it, and return the events of AG-UI as JSON."""

    async def run() -> list[BaseEvent]:
        caller = as_caller(fake)
        message = {"id": "m1", "role": "user", "content": content}
        parameters = {"threadId": "th", "runId": "r", "messages": [message], "resume": [resume] if resume else None}
        agent_input = RunAgentInput.model_validate(parameters)
        return [event async for event in Run(caller, caller.client.session(SESSION), agent_input).events()]

    first, *others = (
        json.loads(event.model_dump_json(by_alias=True, exclude_none=True)) for event in asyncio.run(run())
    )
    assert first == {"type": "RUN_STARTED", "threadId": "th", "runId": "r"}
    return others


def turn_of(*events: dict[str, Any]) -> FakeServer:
    """Return a server whose turn ``t1`` has these events."""
    return FakeServer(events=[{"turn_id": "t1", "at": AT, **event} for event in events])


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
    sent = as_ag_ui(turn_of(EVENTS[name]))

    assert sent == FIXTURE["events"][name]["ag_ui"]
    assert all(f"`{each['type']}`" in rows()[name] for each in sent)
    assert [each["name"] for each in sent if each["type"] == "CUSTOM"] == re.findall(r"satchel\.\w+", rows()[name])


@pytest.mark.parametrize("name", FIXTURE["sequences"])
def test_sequence_of_ag_ui_is_what_the_bridge_sends(name: str) -> None:
    sequence = FIXTURE["sequences"][name]
    events = [{**EVENTS[kind], **(changes[0] if changes else {})} for kind, *changes in sequence["events"]]
    assert as_ag_ui(turn_of(*events), resume=sequence.get("resume")) == sequence["ag_ui"]


@pytest.mark.parametrize("decision", FIXTURE["decisions"])
def test_decision_of_ag_ui_is_what_the_bridge_passes_on(decision: dict[str, Any]) -> None:
    fake = turn_of(ENDED)
    as_ag_ui(fake, resume=decision["resume"])

    [request] = [each for each in fake.requests if each.method == "POST"]
    sent = json.loads(request.content)
    assert {key: value for key, value in sent.items() if value is not None} == decision["body"]


def test_attachments_of_ag_ui_have_names_with_the_ending_of_their_type() -> None:
    fake = turn_of(ENDED)
    sources = [{"type": "data", "value": "aGVsbG8=", "mimeType": mime} for mime in FIXTURE["attachments"]]
    as_ag_ui(fake, [{"type": "document", "source": source} for source in sources])

    assert [name for _, name, _ in fake.uploads] == list(FIXTURE["attachments"].values())


@pytest.mark.parametrize("name", [name for name in EVENTS if name not in {"response_complete", "turn_failed"}])
def test_row_of_chat_completions_is_what_the_bridge_sends(name: str) -> None:
    assert as_chat(EVENTS[name], ENDED) == TEXTS.get(name, "Done.")


@pytest.mark.parametrize("name", EVENTS)
def test_row_of_ui_messages_is_what_the_bridge_sends(name: str) -> None:
    event = EVENTS[name]
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
        events = [*(EVENTS[kind] for kind in kinds), ENDED]
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
    failed = {**EVENTS["turn_failed"], "status": "cancelled"}
    assert [chunk["type"] for chunk in as_ui_messages(failed)] == ["start", "start-step", "abort"]


def test_failed_turn_is_an_error_of_chat_completions() -> None:
    error = {"error_code": "E_MODEL", "message": "The model is away."}
    failed = response(status="failed", message="", error=error)
    with pytest.raises(TurnFailed, match="The model is away") as raised:
        as_chat(EVENTS["turn_failed"], final_response=failed)
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
