"""The functions that no turn calls (sweep, tool lists, erasure, key rotation, WebSocket), and their callers."""

import io
import json
import os
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import boto3
from botocore.exceptions import BotoCoreError

from functions.rotate.handler import handler as rotate
from infra import limits
from local.emulator import settings
from local.emulator.aws import resources
from local.emulator.aws.lambda_host import Function, InvocationResult
from local.emulator.aws.moto_patches.lambda_invoke import HOST
from local.emulator.functions import create_background_functions, create_websocket_functions
from local.emulator.runners.context import Handler, LambdaContext
from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.process import CLOCK
from satchel.domain.files import NewFile
from satchel.domain.ids import FileKey, new_id
from satchel.domain.object_keys import object_key
from tests.integration.turn.turn_driver import UserSession

_ROLE = "background"
_MAX_ROUNDS = 20  # after the end, until one succeeds
_PAUSE_SECONDS = 2  # seconds between two rounds of a clock


def create_functions() -> None:
    """Create the background functions. From now on, events are pushed to connections."""
    os.environ["SATCHEL_TOOLS_KEPT_SECONDS"] = f"{_PAUSE_SECONDS / 2}"  # so that each round lists the tools again
    role = resources.create_role(_ROLE)
    create_background_functions(role, Path(os.environ["SATCHEL_MCP_CONFIG"]).parent / "state")
    create_websocket_functions(role, table=os.environ["SATCHEL_TABLE"])
    resources.create_function(settings.REMOTE_RUNNER, _list_no_tools, role=role, timeout=limits.STEP_SECONDS)
    resources.create_function(function_name("rotate"), rotate, role=role, timeout=limits.STEP_SECONDS)


def _list_no_tools(_event: object, _context: object) -> object:
    """Return no tools, as the runner of remote servers."""
    return {"tools": []}


def function_name(function: str) -> str:
    return f"{settings.NAME}-{function}"


def replace(function: str, handler: Handler) -> None:
    """Replace the handler of a function."""
    HOST.register(Function(function_name(function), handler, 60))


@contextmanager
def invoked_repeatedly(function: str, rounds: int) -> Iterator[None]:
    """Invoke a function repeatedly during the block, as an EventBridge schedule does, even after failures.

    Invokes it at least ``rounds`` times, and until one invocation after the block has succeeded.
    """
    is_over = threading.Event()

    def invoke() -> None:
        number, extra, succeeded = 0, 0, False
        while not (succeeded and extra) and extra < _MAX_ROUNDS:
            number += 1
            extra += is_over.is_set() and number >= rounds
            succeeded = not call(function, {"round": f"{number}"}).failed
            is_over.wait(_PAUSE_SECONDS)

    thread = threading.Thread(target=invoke, name=f"schedule-{function}")
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def call(function: str, event: object) -> InvocationResult:
    return HOST.invoke(function_name(function), event)


def rotate_keys(times: int) -> None:
    """Rotate the signing keys so many times."""
    secrets = boto3.client("secretsmanager")
    function = boto3.client("lambda").get_function(FunctionName=function_name("rotate"))["Configuration"]["FunctionArn"]
    for _ in range(times):
        secrets.rotate_secret(SecretId=os.environ["SATCHEL_CAPABILITY_SECRET"], RotationLambdaARN=function)


def retry_until_success(handler: Handler) -> Handler:
    """Wrap a handler so that a failed step is repeated, as Secrets Manager does."""

    def run(event: object, context: LambdaContext) -> object:
        while True:
            try:
                return handler(event, context)
            except BotoCoreError:
                continue

    return run


def signing_keys() -> dict[str, str]:
    """Return the current signing keys."""
    secret = boto3.client("secretsmanager").get_secret_value(SecretId=os.environ["SATCHEL_CAPABILITY_SECRET"])
    keys: dict[str, str] = json.loads(secret["SecretString"])
    return keys


def leave_files(session: UserSession) -> None:
    """Create an expired file, and a temporary file of the session."""
    an_hour_ago = int((CLOCK.now() - timedelta(hours=1)).timestamp())
    add_file(session, "draft.txt", source="deferred", reason="user_approval", expires_at=an_hour_ago)
    add_file(session, "scratch.txt", source="generated", temporary=True)


def add_file(session: UserSession, name: str, **extra: object) -> None:
    object_id = FileKey(new_id("f", CLOCK.now(), os.urandom(10)))
    key = object_key(session.user.name, "artifacts", object_id, name)
    use_cases().ports.store.put(key, io.BytesIO(b"text"), "text/plain")
    ids = {
        "object_id": object_id,
        "key": key,
        "user": session.user.name,
        "session_id": session.session_id,
        "name": name,
    }
    fields = {"raw_name": name, "mime": "text/plain", "size": 4, "origin": uuid.uuid4().hex, "created_at": CLOCK.now()}
    use_cases().ports.files.save(NewFile.model_validate(ids | fields | extra))
