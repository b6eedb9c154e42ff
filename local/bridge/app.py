"""The ASGI application of the bridge: routes, and errors in the format of OpenAI."""

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from hashlib import sha256
from http import HTTPStatus
from typing import Any, TypeVar

import anyio
from ag_ui.core import RunAgentInput
from ag_ui.encoder import EventEncoder
from pydantic import BaseModel, ValidationError
from sse_starlette import EventSourceResponse
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from local.bridge.ag_ui import Run, Threads
from local.bridge.caller import BridgeSettings, InvalidRequest, NotSignedIn, bearer_token, open_caller
from local.bridge.chat_completions import (
    SESSION_HEADER,
    ChatRequest,
    Completion,
    Conversations,
    TurnFailed,
    start_completion,
)
from local.bridge.ui_messages import HEADERS as UI_HEADERS
from local.bridge.ui_messages import UIChatRequest, UIStream, running_stream, start_stream
from satchel_client import ApiError, SatchelError

ModelT = TypeVar("ModelT", bound=BaseModel)
_FINAL = {"x-should-retry": "false"}  # the SDKs of OpenAI obey it
_KINDS = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}


def create_app(settings: BridgeSettings, origins: Sequence[str] = ()) -> Starlette:
    """Return the application for one Satchel server. Pages of these origins may use it from a browser."""
    conversations, threads = Conversations(), Threads()

    async def list_models(request: Request) -> Response:
        async with open_caller(request, settings) as caller:
            models = (await caller.client.config()).models
        listed = [{"id": model.name, "object": "model", "created": 0, "owned_by": "satchel"} for model in models]
        return JSONResponse({"object": "list", "data": listed})

    async def complete(request: Request) -> Response:
        chat = await _read(ChatRequest, request)
        chat.check()
        owner = _owner(request)
        async with AsyncExitStack() as stack:
            caller = await stack.enter_async_context(open_caller(request, settings))
            session_id = request.headers.get(SESSION_HEADER) or conversations.find(owner, chat.messages[:-1])
            completion = await start_completion(
                caller, chat, session_id, idempotency_key=request.headers.get("Idempotency-Key")
            )
            headers = {SESSION_HEADER: completion.session_id}

            def remember() -> None:
                conversations.remember(owner, completion.history, completion.session_id)

            if chat.stream:
                chunks = _chunks(completion, stack.pop_all(), remember)
                return EventSourceResponse(chunks, headers=headers, sep="\n")
            body = await _until_hang_up(request, completion)
            remember()
        return JSONResponse(body, headers=headers)

    async def run_agent(request: Request) -> Response:
        agent_input = await _read(RunAgentInput, request)
        async with AsyncExitStack() as stack:
            caller = await stack.enter_async_context(open_caller(request, settings))
            session = await threads.session(caller, _owner(request), agent_input.thread_id)
            run = Run(caller, session, agent_input)
            return EventSourceResponse(_run_events(run, stack.pop_all()), sep="\n")

    async def chat(request: Request) -> Response:
        chat_request = await _read(UIChatRequest, request)
        async with AsyncExitStack() as stack:
            caller = await stack.enter_async_context(open_caller(request, settings))
            session = await threads.session(caller, _owner(request), chat_request.id)
            stream = await start_stream(caller, session, chat_request)
            return EventSourceResponse(_lines(stream, stack.pop_all()), headers=UI_HEADERS, sep="\n")

    async def resume_chat(request: Request) -> Response:
        async with AsyncExitStack() as stack:
            caller = await stack.enter_async_context(open_caller(request, settings))
            session = await threads.session(caller, _owner(request), request.path_params["chat_id"])
            stream = await running_stream(caller, session)
            if stream is None:
                return Response(status_code=HTTPStatus.NO_CONTENT)
            return EventSourceResponse(_lines(stream, stack.pop_all()), headers=UI_HEADERS, sep="\n")

    return Starlette(
        routes=[
            Route("/v1/models", list_models),
            Route("/v1/chat/completions", complete, methods=["POST"]),
            Route("/ag-ui", run_agent, methods=["POST"]),
            Route("/ai-sdk/chat", chat, methods=["POST"]),
            Route("/ai-sdk/chat/{chat_id}/stream", resume_chat),
        ],
        middleware=[
            Middleware(
                CORSMiddleware,
                allow_origins=origins,
                allow_methods=["GET", "POST"],
                allow_headers=["*"],
                expose_headers=[SESSION_HEADER],
            )
        ],
        exception_handlers={
            ApiError: _api_error,
            SatchelError: _unavailable,
            InvalidRequest: _invalid,
            NotSignedIn: _not_signed_in,
            TurnFailed: _turn_failed,
        },
    )


async def _chunks(completion: Completion, stack: AsyncExitStack, remember: Callable[[], None]) -> AsyncIterator[str]:
    async with stack:
        try:
            async for chunk in completion.stream():
                if chunk == "[DONE]":
                    remember()
                yield chunk
        except TurnFailed as error:
            yield json.dumps(_error(str(error), "turn_failed", error.code))
        except SatchelError as error:
            yield json.dumps(_error(str(error), "server_error", error.code))


async def _lines(stream: UIStream, stack: AsyncExitStack) -> AsyncIterator[str]:
    async with stack:
        async for line in stream.lines():
            yield line


async def _run_events(run: Run, stack: AsyncExitStack) -> AsyncIterator[bytes]:
    encoder = EventEncoder()
    async with stack:
        async for event in run.events():
            yield encoder.encode(event).encode()


async def _read(model: type[ModelT], request: Request) -> ModelT:
    """Return the body of a request. Raise InvalidRequest with the first field that is wrong."""
    try:
        return model.model_validate_json(await request.body())
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise InvalidRequest(f"{'.'.join(map(str, first['loc'])) or 'body'}: {first['msg']}") from error


def _owner(request: Request) -> str:
    """Return a name for the caller. It separates the conversations of different people, and is no secret."""
    return sha256(f"{bearer_token(request)} {request.headers.get('X-Satchel-User')}".encode()).hexdigest()


async def _until_hang_up(request: Request, completion: Completion) -> Mapping[str, Any]:
    """Return the completion, or cancel it if the client disconnects."""
    result: dict[str, Any] = {}
    failure: list[Exception] = []

    async with anyio.create_task_group() as tasks:

        async def complete() -> None:
            try:
                result.update(await completion.whole())
            except (TurnFailed, SatchelError) as error:
                failure.append(error)  # a task group would wrap it
            tasks.cancel_scope.cancel()

        async def watch() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass
            tasks.cancel_scope.cancel()

        tasks.start_soon(complete)
        tasks.start_soon(watch)
    if failure:
        raise failure[0]
    return result


def _error(message: str, kind: str, code: str | None) -> Mapping[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _respond(status: int, message: str, kind: str, code: str | None = None, **headers: str) -> Response:
    return JSONResponse(_error(message, kind, code), status_code=status, headers=headers)


async def _api_error(_request: Request, error: Exception) -> Response:
    """Return an error of Satchel with its own status. The client of Satchel has retried it already."""
    status, code = getattr(error, "status", None) or 500, getattr(error, "code", None)
    kind = _KINDS.get(status, "invalid_request_error" if status < HTTPStatus.INTERNAL_SERVER_ERROR else "server_error")
    return _respond(status, str(error), kind, code, **_FINAL)


async def _unavailable(_request: Request, error: Exception) -> Response:
    return _respond(503, str(error), "server_error", **_FINAL)


async def _invalid(_request: Request, error: Exception) -> Response:
    return _respond(400, str(error), "invalid_request_error")


async def _not_signed_in(_request: Request, error: Exception) -> Response:
    return _respond(401, str(error), "authentication_error", "invalid_api_key")


async def _turn_failed(_request: Request, error: Exception) -> Response:
    """Return a status that clients do not retry: a second attempt would run the tools again."""
    return _respond(500, str(error), "turn_failed", getattr(error, "code", None), **_FINAL)
