"""The limits of a response: for the user's decisions in Satchel, and in total. The turn continues after both."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from math import inf
from typing import Any

import httpx2
import pytest
from ag_ui.core import RunAgentInput, RunErrorEvent, UserMessage

from local.bridge.ag_ui import Run
from local.bridge.caller import BridgeSettings, Caller
from local.bridge.chat_completions import ChatRequest, start_completion
from local.bridge.ui_messages import UIChatRequest, start_stream
from satchel_client import AsyncClient
from tests.unit.bridge.test_mapping import ENDED, EVENTS, PAGE
from tests.unit.cli.fake_server import SESSION, FakeServer

CONTINUES = f"The turn continues in Satchel: {PAGE}"
APPROVE = f"**report.summarise needs your approval.** Allow or deny it in Satchel: {PAGE}"
ANSWER = f"trip.book asks: Where to? Answer in Satchel: {PAGE}"
LIMIT, SHORTLY = 60.0, 0.1
Answer = Callable[[Caller], Awaitable[list[str]]]


def event(name: str) -> dict[str, Any]:
    return {"type": name, **EVENTS[name]}


def answered(answer: Answer, *events: dict[str, Any], wait: float = inf, total: float = inf) -> list[str]:
    """Answer with a turn that has these events and then waits, and that must not be canceled.

    Shortly after the last event, the clock of the loop jumps to the end of ``total``.
    """

    async def run() -> list[str]:
        fake, loop = FakeServer(None, list(events), page_size=len(events)), asyncio.get_running_loop()

        async def respond(request: httpx2.Request) -> httpx2.Response:
            assert request.method != "DELETE", "the turn was canceled"
            if request.url.params.get("after") == str(len(events)):
                await asyncio.sleep(SHORTLY)
                if total < inf:
                    vars(loop)["time"] = lambda: type(loop).time(loop) + total
                await asyncio.Event().wait()
            response = fake(request)
            if request.url.path.endswith("/events"):
                page = response.json() | {"done": ENDED in events}
                return httpx2.Response(200, json=page)
            return response

        client = AsyncClient("http://satchel.test", "t", transport=httpx2.MockTransport(respond))
        settings = BridgeSettings("http://satchel.test", 60, wait_seconds=wait)
        return await answer(Caller(client, settings, loop.time() + total))

    return asyncio.run(run())


def chat(*, stream: bool) -> Answer:
    async def answer(caller: Caller) -> list[str]:
        body = {"model": "offline", "messages": [{"role": "user", "content": "hello"}], "stream": stream}
        request = ChatRequest.model_validate(body | {"stream_options": {"include_usage": True}})
        completion = await start_completion(caller, request, None, idempotency_key=None)
        if not stream:
            [choice] = (await completion.whole())["choices"]
            return [choice["message"]["content"], choice["finish_reason"]]
        *lines, last = [line async for line in completion.stream()]
        assert last == "[DONE]"
        choices = [choice for line in lines for choice in json.loads(line)["choices"]]
        text = "".join(choice["delta"].get("content", "") for choice in choices)
        assert completion.history[-1].text == text
        return [text, choices[-1]["finish_reason"]]

    return answer


async def ui_messages(caller: Caller) -> list[str]:
    message = {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "hello"}]}
    request = UIChatRequest.model_validate({"id": "c1", "messages": [message]})
    stream = await start_stream(caller, caller.client.session(SESSION), request)
    *lines, last = [line async for line in stream.lines()]
    assert last == "[DONE]"
    chunks = [json.loads(line) for line in lines]
    return ["".join(each.get("delta", "") for each in chunks), chunks[-1]["finishReason"]]


async def agent(caller: Caller) -> list[str]:
    agent_input = RunAgentInput(thread_id="t1", run_id="r1", messages=[UserMessage(id="m1", content="hello")])
    *_, last = [each async for each in Run(caller, caller.client.session(SESSION), agent_input).events()]
    return [last.message, "error"] if isinstance(last, RunErrorEvent) else [last.type.value, "finished"]


@pytest.mark.parametrize(
    ("answer", "end"),
    [(chat(stream=True), "stop"), (chat(stream=False), "stop"), (ui_messages, "stop"), (agent, "error")],
)
def test_response_says_where_the_turn_continues_at_the_time_limit(answer: Answer, end: str) -> None:
    assert answered(answer, event("turn_started"), total=LIMIT) == [CONTINUES, end]


def test_text_before_the_time_limit_stays() -> None:
    shown = answered(chat(stream=True), event("token_stream"), total=LIMIT)
    assert shown == [f"Hello\n\n{CONTINUES}", "stop"]


@pytest.mark.parametrize("total", [inf, LIMIT])
@pytest.mark.parametrize(
    ("answer", "name", "text"),
    [
        (chat(stream=True), "tool_approval_request", APPROVE),
        (chat(stream=True), "input_requested", f"**trip.book asks: Where to?** Answer in Satchel: {PAGE}"),
        (ui_messages, "input_requested", ANSWER),
    ],
)
def test_stream_that_waits_for_a_decision_ends_with_where_to_decide(
    answer: Answer, name: str, text: str, total: float
) -> None:
    wait = 0 if total == inf else inf
    assert answered(answer, event(name), wait=wait, total=total) == [text, "stop"]


@pytest.mark.parametrize(
    ("waits", "decides"), [("tool_approval_request", "tool_approval"), ("input_requested", "input_answered")]
)
def test_stream_continues_after_a_decision_in_time(waits: str, decides: str) -> None:
    [text, end] = answered(chat(stream=True), event(waits), event(decides), ENDED, wait=0)
    assert end == "stop"
    assert CONTINUES not in text


def test_one_decision_of_two_does_not_end_the_wait() -> None:
    other = event("tool_approval_request") | {"call_id": "c01jd0000000000000000000002"}
    events = [event("tool_approval_request"), other, event("tool_approval")]
    [text, _] = answered(chat(stream=True), *events, wait=0)
    assert text == f"{APPROVE}\n\n{APPROVE}"
