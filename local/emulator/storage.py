"""Connect the API to the data folder: respond when the data are on the disk, and say why they cannot be written."""

from boto3.exceptions import Boto3Error
from botocore.exceptions import ClientError
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from local.emulator.data.folder import REFUSAL
from local.emulator.data.store import DataStore
from satchel.entrypoints.http.problems import problem_response


class SynchronizedResponses:
    """ASGI middleware that sends no response before all data that it may report are on the disk.

    The writes of one request, or of the steps of a turn that it waits for, are synchronized together.
    """

    def __init__(self, app: ASGIApp, store: DataStore) -> None:
        self._app = app
        self._store = store

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request."""

        async def send_synchronized(message: Message) -> None:
            if message["type"] == "http.response.start" and not self._store.is_synchronized:
                await run_in_threadpool(self._store.synchronize)
            await send(message)

        await self._app(scope, receive, send_synchronized)


def report_storage_errors(app: FastAPI) -> FastAPI:
    """Answer a request with 503 and the reason if the emulated AWS could not write the data folder. Return ``app``."""
    for kind in (ClientError, Boto3Error):
        app.add_exception_handler(kind, _handle_storage_error)
    return app


def _handle_storage_error(request: Request, error: Exception) -> JSONResponse:
    del request
    _, refusal, reason = str(error).partition(REFUSAL)
    if not refusal:
        raise error
    return problem_response(503, "E_UNAVAILABLE", f"{refusal}{reason}")
