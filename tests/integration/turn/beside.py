"""The functions that stand beside turns, and who calls them: clocks, people, Secrets Manager."""

import io
import json
import os
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import boto3
from botocore.exceptions import BotoCoreError

from functions.refresh.handler import handler as refresh
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
from tests.integration.turn.turns import Asker

_ROLE = "beside"
_MAX_ROUNDS = 20  # at the end, for one that is sound
_PAUSE = 2  # seconds between two rounds of a clock


def put_up() -> None:
    """Create the functions that a turn does not lead through; events are pushed from now on."""
    os.environ["SATCHEL_TOOLS_KEPT_SECONDS"] = f"{_PAUSE / 2}"  # so that each round has something to ask
    role = resources.create_role(_ROLE)
    create_background_functions(role)
    create_websocket_functions(role, table=os.environ["SATCHEL_TABLE"], endpoint=os.environ["SATCHEL_SOCKET_ENDPOINT"])
    resources.create_function(settings.REMOTE_RUNNER, _no_tools, role=role, timeout=limits.STEP_SECONDS)
    resources.create_function(name_of("refresh"), refresh, role=role, timeout=limits.REFRESH_SECONDS)
    resources.create_function(name_of("rotate"), rotate, role=role, timeout=limits.STEP_SECONDS)


def _no_tools(_event: object, _context: object) -> object:
    """Servers that are somewhere else have none."""
    return {"tools": []}


def name_of(function: str) -> str:
    return f"{settings.NAME}-{function}"


def replace(function: str, handler: Handler) -> None:
    """Have something else run as a function."""
    HOST.register(Function(name_of(function), handler, 60))


@contextmanager
def ticking(function: str, rounds: int) -> Iterator[None]:
    """Call a function as a rule of EventBridge does: again and again, whatever became of the last time.

    Ends after that many rounds at least, and with a sound one that began when all else was over.
    """
    over = threading.Event()

    def tick() -> None:
        number, extra, sound = 0, 0, False
        while not (sound and extra) and extra < _MAX_ROUNDS:
            number += 1
            extra += over.is_set() and number >= rounds
            sound = not call(function, {"round": f"{number}"}).failed
            over.wait(_PAUSE)

    thread = threading.Thread(target=tick, name=f"clock-{function}")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def call(function: str, event: object) -> InvocationResult:
    return HOST.invoke(name_of(function), event)


def rotated(times: int) -> None:
    """Have the signing keys changed so often."""
    secrets = boto3.client("secretsmanager")
    function = boto3.client("lambda").get_function(FunctionName=name_of("rotate"))["Configuration"]["FunctionArn"]
    for _ in range(times):
        secrets.rotate_secret(SecretId=os.environ["SATCHEL_CAPABILITY_SECRET"], RotationLambdaARN=function)


def until_done(handler: Handler) -> Handler:
    """Return a handler that Secrets Manager calls again for a step that failed."""

    def run(event: object, context: LambdaContext) -> object:
        while True:
            try:
                return handler(event, context)
            except BotoCoreError:
                continue

    return run


def signing_keys() -> dict[str, str]:
    """Return the keys that are in force."""
    found = boto3.client("secretsmanager").get_secret_value(SecretId=os.environ["SATCHEL_CAPABILITY_SECRET"])
    keys: dict[str, str] = json.loads(found["SecretString"])
    return keys


def leave_files(asker: Asker) -> None:
    """Give somebody a file that has expired, and one that goes with the session."""
    hour_ago = int((CLOCK.now() - timedelta(hours=1)).timestamp())
    keep(asker, "draft.txt", source="deferred", reason="user_approval", expires_at=hour_ago)
    keep(asker, "scratch.txt", source="generated", temporary=True)


def keep(asker: Asker, name: str, **more: object) -> None:
    object_id = FileKey(new_id("f", CLOCK.now(), os.urandom(10)))
    key = object_key(asker.who.name, "artifacts", object_id, name)
    use_cases().ports.store.put(key, io.BytesIO(b"text"), "text/plain")
    said = {"object_id": object_id, "key": key, "user": asker.who.name, "session_id": asker.session_id, "name": name}
    fields = {"raw_name": name, "mime": "text/plain", "size": 4, "origin": uuid.uuid4().hex, "created_at": CLOCK.now()}
    use_cases().ports.files.keep(NewFile.model_validate(said | fields | more))
