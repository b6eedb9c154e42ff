"""What runs in the process of a deployed function: its own code, with a note of every call that it makes of AWS.

The process is a fork (``local.runners``), its environment that of the template. What Lambda has at ``/opt`` and the
addresses of API Gateway are somewhere else here, and only that is put right.
"""

import asyncio
import importlib.util
import json
import os
import threading
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

import boto3
import botocore.client

from infra.sources import FUNCTIONS
from local.runners.context import Handler, LambdaContext
from satchel.adapters import clients
from satchel.adapters.system_clock import SystemClock
from tests import service_models

if TYPE_CHECKING:
    from collections.abc import Callable

CODE = "DEPLOYED_CODE"
"""The variable that names the function's folder."""
NOTES = "DEPLOYED_NOTES"
"""The variable that names the file for the notes: a JSON object a line."""
OPT = "DEPLOYED_OPT"
"""The variable that names the folder which Lambda would show as ``/opt``."""
LATER = "DEPLOYED_LATER"
"""The variable that names the file with the seconds by which it is later than it is."""

ITSELF = "itself"
"""The service that is noted for an invocation of the function."""

_ON_LAMBDA = "/opt/"
_CONTENT = {"Body", "Payload", "Data", "SecretString"}
_writing = threading.Lock()

# What all functions import and read; a fork of a process that has it starts in no time.
for _folder in sorted(path.name for path in FUNCTIONS.iterdir() if (path / "handler.py").exists()):
    import_module(f"functions.{_folder}.handler")
service_models.read_once()
for _service in ("dynamodb", "lambda", "s3", "secretsmanager", "stepfunctions", "sts"):
    boto3.Session(region_name="us-east-1").client(_service)  # not kept: each fork makes its own


def handler(event: object, context: LambdaContext) -> object:
    """Run the function's own handler, as Lambda does: on a thread that has an event loop to take."""
    asyncio.set_event_loop(asyncio.new_event_loop())
    run: Handler = _code().handler
    _note({"service": ITSELF, "operation": "Invoke", "key_id": "", "params": {}})
    return run(event, context)


def shutdown() -> None:
    """End what the function has started."""
    getattr(_code(), "shutdown", lambda: None)()


@lru_cache
def _code() -> ModuleType:
    for name, value in os.environ.items():
        if name.startswith("SATCHEL_") and value.startswith(_ON_LAMBDA):
            os.environ[name] = str(Path(os.environ[OPT]) / value.removeprefix(_ON_LAMBDA))
    _note_calls()
    _speak_to_connections_here()
    _live_later(Path(os.environ[LATER]))
    found = importlib.util.spec_from_file_location("handler", Path(os.environ[CODE]) / "handler.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def _note(said: dict[str, Any]) -> None:
    with _writing, Path(os.environ[NOTES]).open("a") as file:
        file.write(json.dumps(said, default=str) + "\n")


def _note_calls() -> None:
    """Note what is asked, and what is signed for others to ask; botocore makes both parameters at one place."""
    client = cast("Any", botocore.client.BaseClient)
    emit: Callable[..., Any] = client._emit_api_params  # noqa: SLF001  (before its cut there is no one place)

    def note(self: Any, api_params: Any, operation_model: Any, context: Any) -> Any:  # noqa: ANN401  (botocore's own)
        said = {
            "service": operation_model.service_model.service_name,
            "operation": operation_model.name,
            "key_id": self._get_credentials().access_key,
            "params": {key: value for key, value in api_params.items() if key not in _CONTENT},
        }
        _note(said)
        return emit(self, api_params, operation_model, context)

    client._emit_api_params = note  # noqa: SLF001  (the same)


def _speak_to_connections_here() -> None:
    """API Gateway's address for connections is nowhere to be found on this machine."""
    make = clients.socket_api.__wrapped__
    cast("Any", clients).socket_api = lambda _endpoint: make(os.environ["AWS_ENDPOINT_URL"])


def _live_later(file: Path) -> None:
    """Let time pass that nobody has: what expires after days is there to be deleted at once."""

    def now(_self: SystemClock) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=float(file.read_text(encoding="utf-8")))

    cast("Any", SystemClock).now = now
