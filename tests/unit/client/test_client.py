"""The client's requests: identity, retries, following a turn, and transfers, with threads and with asyncio."""

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from satchel_client import ApiError, AsyncClient, Client, ConnectionLost, UnknownEvent, Unreachable
from satchel_client.models import InputRequested, TokenUsage, ToolNotice
from tests.unit.cli.fake_file_server import PART_BYTES, FakeFileServer
from tests.unit.cli.fake_server import CALL, SESSION, TURN, FakeServer, Fault, problem

URL = "http://satchel.test"
_LISTS_OF_A_TURN = (
    "files",
    "tool_calls",
    "artifacts",
    "deferred_artifacts",
    "canvases",
    "approvals",
    "questions",
)
NOTICE = {"type": "tool_notice", "call_id": CALL, "seconds": 15, "left_seconds": 15, "message": "Still working…"}


def connect(server: Callable[[httpx2.Request], httpx2.Response], delays: list[float] | None = None) -> Client:
    delays = [] if delays is None else delays
    return Client(URL, "secret", transport=httpx2.MockTransport(server), sleep=delays.append)


def connect_async(server: Callable[[httpx2.Request], httpx2.Response]) -> AsyncClient:
    async def sleep(_seconds: float) -> None:
        await asyncio.sleep(0)

    return AsyncClient(URL, "secret", transport=httpx2.MockTransport(server), sleep=sleep)


def answers(*faults: Fault) -> tuple[list[httpx2.Request], Callable[[httpx2.Request], httpx2.Response]]:
    """Return the list of received requests, and a server that answers with the faults, then as `FakeServer`."""
    requests: list[httpx2.Request] = []
    remaining, fake = list(faults), FakeServer()

    def serve(request: httpx2.Request) -> httpx2.Response:
        requests.append(request)
        if not remaining:
            return fake(request)
        fault = remaining.pop(0)
        if isinstance(fault, BaseException):
            raise fault
        return fault

    return requests, serve


def test_personal_token_is_sent_to_the_address_for_personal_tokens() -> None:
    requests, serve = answers()
    with Client(URL, "satchel_x", transport=httpx2.MockTransport(serve)) as client, pytest.raises(ApiError):
        client.me()
    [request] = requests
    assert (request.url.path, request.headers["Authorization"]) == ("/api/by-token/api/me", "Bearer satchel_x")


def test_token_function_is_called_for_each_request() -> None:
    tokens = iter(["one", "two"])
    requests, serve = answers()
    client = Client(URL, lambda: next(tokens), user="ann", transport=httpx2.MockTransport(serve))

    client.config()
    client.config()
    assert [each.headers["Authorization"] for each in requests] == ["Bearer one", "Bearer two"]
    assert requests[0].headers["X-Satchel-User"] == "ann"


def test_asynchronous_token_function_is_awaited() -> None:
    async def token() -> str:
        await asyncio.sleep(0)
        return "one"

    async def run() -> None:
        await AsyncClient(URL, token, transport=httpx2.MockTransport(serve)).config()

    requests, serve = answers()
    asyncio.run(run())
    assert requests[0].headers["Authorization"] == "Bearer one"


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_temporary_error_of_a_gateway_is_retried(status: int) -> None:
    delays: list[float] = []
    _, serve = answers(httpx2.Response(status, text="gateway"))

    assert connect(serve, delays).config().model == "offline"
    assert delays == [0.5]


def test_retry_waits_as_long_as_the_server_says() -> None:
    delays: list[float] = []
    busy = problem(429, "Too many requests.", "E_QUOTA_EXCEEDED")
    busy.headers["Retry-After"] = "7"
    _, serve = answers(busy)

    connect(serve, delays).config()
    assert delays == [7.0]


@pytest.mark.parametrize("seconds", [None, "3600"])
def test_quota_that_a_short_wait_does_not_free_is_an_error(seconds: str | None) -> None:
    full = problem(429, "You have 3 open chats, the maximum.", "E_QUOTA_EXCEEDED")
    if seconds:
        full.headers["Retry-After"] = seconds
    requests, serve = answers(full)

    with pytest.raises(ApiError, match="3 open chats") as raised:
        connect(serve).start_session()
    assert (raised.value.code, raised.value.status, len(requests)) == ("E_QUOTA_EXCEEDED", 429, 1)


def test_repeated_post_has_the_same_idempotency_key() -> None:
    requests, serve = answers(httpx2.ReadError("reset"))
    client = connect(serve)

    client.start_session()
    client.start_session()
    keys = [each.headers["Idempotency-Key"] for each in requests]
    assert keys[0] == keys[1] != keys[2]


def test_conversation_is_read_in_pages_imported_and_deleted() -> None:
    at = "2026-08-27T09:30:00Z"
    usage = dict.fromkeys(TokenUsage.model_fields, 0)
    texts = dict.fromkeys(("message", "answer", "model"), "")
    lists: dict[str, list[Any]] = {name: [] for name in _LISTS_OF_A_TURN}
    ids = {"turn_id": TURN, "status": "complete", "error": None, "imported": False, "usage": usage}
    turn = texts | lists | ids | {"created_at": at, "ended_at": None}
    unset = dict.fromkeys(("title", "model", "running_turn", "instructions"))
    session = unset | {"session_id": SESSION, "status": "active", "waits_for_user": False, "usage": usage}
    session |= {"created_at": at, "last_used_at": at, "pinned": False, "archived": False, "temporary": False}
    pages = [httpx2.Response(200, json={**session, "turns": [turn], "cursor": cursor}) for cursor in ("next", None)]
    requests, serve = answers(*pages, httpx2.Response(201, json=session), httpx2.Response(204))
    client = connect(serve)

    turns = list(client.conversation(SESSION))
    imported = client.import_conversation([*turns, {"message": "more"}], title="Copy")
    client.delete_conversation(SESSION)

    assert [(each.method, each.url.path, each.url.params.get("cursor")) for each in requests] == [
        ("GET", f"/api/conversations/{SESSION}", None),
        ("GET", f"/api/conversations/{SESSION}", "next"),
        ("POST", "/api/conversations", None),
        ("DELETE", f"/api/conversations/{SESSION}", None),
    ]
    body = json.loads(requests[2].content)
    assert (body["title"], [each["message"] for each in body["turns"]]) == ("Copy", ["", "", "more"])
    assert imported.session_id == SESSION


def test_own_idempotency_key_is_sent() -> None:
    requests, serve = answers()

    connect(serve).session(SESSION).ask("hello", idempotency_key="mine")
    assert requests[-1].headers["Idempotency-Key"] == "mine"


def test_server_that_never_answered_is_not_tried_again() -> None:
    requests, serve = answers(httpx2.ConnectError("refused"))

    with pytest.raises(Unreachable):
        connect(serve).config()
    assert len(requests) == 1


def test_error_has_the_members_of_the_problem() -> None:
    body = {"title": "Invalid", "detail": "No.", "error_code": "E_INVALID_REQUEST", "limit_bytes": 5}
    errors = [{"field": "body.content.size", "message": "must be a number"}]
    _, serve = answers(httpx2.Response(422, json={**body, "errors": errors}))

    with pytest.raises(ApiError) as raised:
        connect(serve).config()
    assert raised.value.details["limit_bytes"] == 5
    assert raised.value.fields == {"body.content.size": "must be a number"}


def test_following_continues_where_it_broke() -> None:
    server = FakeServer(events=[NOTICE] * 5, page_size=1, faults=[httpx2.ReadError("reset")] * 6)
    turn = connect(server).session(SESSION).turn(TURN)

    with pytest.raises(ConnectionLost):
        list(turn)
    assert [event.seq for event in turn] == [1, 2, 3, 4, 5]


def test_stopped_iteration_continues_after_the_last_event() -> None:
    turn = connect(FakeServer(events=[NOTICE] * 5, page_size=3)).session(SESSION).turn(TURN)

    for event in turn:
        if event.seq == 2:
            break
    assert turn.cursor == 2
    assert [event.seq for event in turn] == [3, 4, 5]


def test_event_of_an_unknown_type_is_yielded() -> None:
    turn = connect(FakeServer(events=[{"type": "weather", "city": "Bern"}, NOTICE])).session(SESSION).turn(TURN)

    unknown, notice = turn
    assert isinstance(unknown, UnknownEvent)
    assert (unknown.type, unknown.city) == ("weather", "Bern")
    assert isinstance(notice, ToolNotice)


def test_answer_to_a_question_names_its_call() -> None:
    question: dict[str, Any] = {"call_id": CALL, "input_id": "1-0", "tool": "trip.book", "mode": "form"}
    question |= {"type": "input_requested", "message": "Where?", "expires_at": "2026-08-27T09:30:00Z"}
    server = FakeServer(events=[question | {"schema": {"type": "object", "properties": {}, "required": []}}])
    turn = connect(server).session(SESSION).turn(TURN)

    [event] = turn
    assert isinstance(event, InputRequested)
    turn.answer(event, {"city": "Bern"})
    assert server.answers == [{"input_id": "1-0", "action": "accept", "content": {"city": "Bern"}}]


def test_content_in_memory_needs_a_name() -> None:
    with pytest.raises(ValueError, match="needs a name"):
        connect(FakeFileServer()).files.upload(b"a")


def test_large_content_in_memory_is_sent_in_parts_with_asyncio() -> None:
    server, body = FakeFileServer(), os.urandom(2 * PART_BYTES + 1)
    server.put_faults = [httpx2.ReadError("reset")]
    counts: list[int] = []

    async def run() -> None:
        async with connect_async(server) as client:
            await client.files.upload(body, name="year.bin", progress=counts.append)

    asyncio.run(run())
    assert server.completed_uploads == [body]
    assert sum(counts) == len(body)


def test_failed_part_ends_the_other_parts_with_asyncio() -> None:
    server = FakeFileServer()
    server.put_faults = [problem(403, "no", "E_FORBIDDEN")]

    async def run() -> None:
        async with connect_async(server) as client:
            await client.files.upload(bytes(9 * PART_BYTES), name="year.bin")

    with pytest.raises(ApiError, match="no"):
        asyncio.run(run())
    assert len(server.put_parts) < 9


def test_download_continues_from_the_last_byte_with_asyncio(tmp_path: Path) -> None:
    server, body = FakeFileServer(), os.urandom(1000)
    server.add_file("year.bin", body)
    server.cuts = [300, 200]

    async def run() -> None:
        async with connect_async(server) as client:
            [file] = [file async for file in client.files.list(name_prefix="year")]
            await client.files.download(file, tmp_path / "year.bin")

    asyncio.run(run())
    assert server.ranges == [None, "bytes=300-", "bytes=500-"]
    assert [path.name for path in tmp_path.iterdir()] == ["year.bin"]
    assert (tmp_path / "year.bin").read_bytes() == body
