"""The code in the process of a deployed function: the function's own handler, and a log of its AWS requests.

The process is a fork (``local.emulator.runners``) with the environment of the template. Only the paths below ``/opt``
and the address of API Gateway are replaced.
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
from local.emulator.runners.context import Handler, LambdaContext
from satchel.adapters import clients
from satchel.adapters.system_clock import SystemClock
from tests import service_models

if TYPE_CHECKING:
    from collections.abc import Callable

CODE = "DEPLOYED_CODE"
"""The variable with the function's code folder."""
CALL_LOG = "DEPLOYED_CALL_LOG"
"""The variable with the path of the call log: one JSON object in each line."""
OPT = "DEPLOYED_OPT"
"""The variable with the folder that replaces ``/opt``."""
CLOCK_OFFSET = "DEPLOYED_CLOCK_OFFSET"
"""The variable with the path of a file: the seconds that are added to the clock."""

INVOCATION = "invocation"
"""The service name in the call log for an invocation of the function itself."""

_ON_LAMBDA = "/opt/"
_PAYLOADS = {"Body", "Payload", "Data", "SecretString"}
_writing = threading.Lock()

# Import and read in advance what all functions need, so that a fork of this process starts quickly.
for _folder in sorted(path.name for path in FUNCTIONS.iterdir() if (path / "handler.py").exists()):
    import_module(f"functions.{_folder}.handler")
service_models.cache_service_models()
for _service in ("dynamodb", "kms", "lambda", "s3", "secretsmanager", "stepfunctions", "sts"):
    boto3.Session(region_name="us-east-1").client(
        _service
    )  # fills botocore's caches; each fork creates its own clients


def handler(event: object, context: LambdaContext) -> object:
    """Run the function's own handler, as Lambda does, in a thread with an event loop."""
    asyncio.set_event_loop(asyncio.new_event_loop())
    run: Handler = _code().handler
    _log({"service": INVOCATION, "operation": "Invoke", "key_id": "", "params": {}})
    return run(event, context)


def shutdown() -> None:
    """Call the function's own ``shutdown``, if it has one."""
    getattr(_code(), "shutdown", lambda: None)()


@lru_cache
def _code() -> ModuleType:
    for name, value in os.environ.items():
        if name.startswith("SATCHEL_") and value.startswith(_ON_LAMBDA):
            os.environ[name] = str(Path(os.environ[OPT]) / value.removeprefix(_ON_LAMBDA))
    _log_calls()
    _redirect_connections()
    _shift_clock(Path(os.environ[CLOCK_OFFSET]))
    spec = importlib.util.spec_from_file_location("handler", Path(os.environ[CODE]) / "handler.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _log(entry: dict[str, Any]) -> None:
    with _writing, Path(os.environ[CALL_LOG]).open("a") as file:
        file.write(json.dumps(entry, default=str) + "\n")


def _log_calls() -> None:
    """Log sent and presigned requests. botocore passes the parameters of both to one private method."""
    client = cast("Any", botocore.client.BaseClient)
    emit: Callable[..., Any] = client._emit_api_params  # noqa: SLF001  (no public hook sees both)

    def log_call(self: Any, api_params: Any, operation_model: Any, context: Any) -> Any:  # noqa: ANN401  (botocore's own)
        entry = {
            "service": operation_model.service_model.service_name,
            "operation": operation_model.name,
            "key_id": self._get_credentials().access_key,
            "params": {key: value for key, value in api_params.items() if key not in _PAYLOADS},
        }
        _log(entry)
        return emit(self, api_params, operation_model, context)

    client._emit_api_params = log_call  # noqa: SLF001  (the same)


def _redirect_connections() -> None:
    """Send messages for connections to moto: API Gateway's host name does not exist on this machine."""
    create = clients.socket_api.__wrapped__
    cast("Any", clients).socket_api = lambda _endpoint: create(os.environ["AWS_ENDPOINT_URL"])


def _shift_clock(file: Path) -> None:
    """Add the offset in the file to the clock, so that data with a lifetime of days expires at once."""

    def now(_self: SystemClock) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=float(file.read_text(encoding="utf-8")))

    cast("Any", SystemClock).now = now
