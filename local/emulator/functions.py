"""Create the deployed system's Lambda functions and its state machine for chat turns. They run in this process."""

import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from infra import limits, sources
from local.emulator import settings
from local.emulator.aws import resources
from local.emulator.aws.cloud import PARTITION
from local.emulator.aws.lambda_host import InvocationResult
from local.emulator.aws.moto_patches import execution_events
from local.emulator.aws.moto_patches.lambda_invoke import HOST
from local.emulator.runners.context import Handler, LambdaContext
from local.emulator.websocket_gateway import Event
from satchel.adapters.kept_state import remove_state
from satchel.adapters.workspaces import LocalWorkspaces
from satchel.settings import ApprovalSettings, InputSettings

_FUNCTION_NAME = re.compile(r'"FunctionName": "\$\{(\w+)\}"')
_STATE_TIMEOUTS = {"Think": limits.THINK_SECONDS}  # timeouts in seconds; all other states use limits.STEP_SECONDS
_MACHINE_TIMEOUTS: Mapping[str, object] = {
    "HeartbeatSeconds": limits.HEARTBEAT_TIMEOUT_SECONDS,
    "CallTimeoutSeconds": limits.CALL_TIMEOUT_SECONDS,
    "TurnTimeoutSeconds": limits.TURN_TIMEOUT_SECONDS,
}
_BACKGROUND_TIMEOUTS = {
    "erase": limits.ERASE_SECONDS,
    "end_session": limits.CLEAR_SECONDS,
    "expire": limits.SWEEP_SECONDS,
    "refresh": limits.REFRESH_SECONDS,
}
_FINISH_RETRIES = 2
TURN_MACHINE = f"{settings.NAME}-turn"
_SOCKETS = f"{settings.NAME}-sockets"
_PUSH = f"{settings.NAME}-push"


def create_turn_machine(role: str) -> str:
    """Create the state machine ``TURN_MACHINE``, which runs chat turns, and the functions that it invokes.

    Return the state machine's ARN.

    If an execution fails, times out or is aborted, the emulator invokes the function ``Finish``, as EventBridge does on
    AWS.
    """
    names = set(_FUNCTION_NAME.findall(sources.TURN_WORKFLOW.read_text(encoding="utf-8")))
    functions: dict[str, object] = {state: _create_state_function(state, role) for state in names}
    finish = _function_name("Finish")
    resources.handle_failures(_function_name("Think"), retries=0, destination=str(functions["Finish"]))
    resources.handle_failures(finish, retries=_FINISH_RETRIES)
    execution_events.set_listener(lambda event: HOST.invoke_later(finish, dict(event), retries=_FINISH_RETRIES))
    waits = {
        "ApprovalSeconds": ApprovalSettings().approval_seconds,
        "InputSeconds": InputSettings().input_seconds + limits.INPUT_GRACE_SECONDS,
    }
    values = functions | {**_MACHINE_TIMEOUTS, "Partition": PARTITION} | waits
    return resources.create_state_machine(TURN_MACHINE, sources.load_turn_workflow(values), role=role)


def _create_state_function(state: str, role: str) -> str:
    timeout = _STATE_TIMEOUTS.get(state, limits.STEP_SECONDS)
    return resources.create_function(_function_name(state), _handler(_folder(state)), role=role, timeout=timeout)


def _function_name(state: str) -> str:
    return f"{settings.NAME}-{_folder(state)}"


def _folder(state: str) -> str:
    """Return the folder below ``functions`` for a state."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", state).lower()


def create_background_functions(role: str, state: Path) -> None:
    """Create the functions that other functions or the scheduler invoke.

    Each function is named after its folder below ``functions``: ``{NAME}-{folder}``. ``state`` has the data that
    servers keep for their users.
    """
    for folder, seconds in _BACKGROUND_TIMEOUTS.items():
        handler = _handler(folder)
        if folder == "end_session":
            handler = _with_workspace_cleanup(handler)
        elif folder == "erase":
            handler = _with_state_removal(handler, state)
        resources.create_function(f"{settings.NAME}-{folder}", handler, role=role, timeout=seconds)


def _with_workspace_cleanup(end_session: Handler) -> Handler:
    """Return a handler that ends a session and also deletes the session's files under ``/tmp``.

    All emulated runners (the processes that run tools) share one ``/tmp``. On AWS, each Lambda environment has its own
    ``/tmp``, which no other function can reach. There, the session's files disappear when the user makes the next call
    from another session, or when the environment ends.
    """

    def handle(event: object, context: LambdaContext) -> object:
        payload = cast("dict[str, Any]", event)
        LocalWorkspaces().end_session(payload["user"], payload["session_id"])
        return end_session(event, context)

    return handle


def _with_state_removal(erase: Handler, state: Path) -> Handler:
    """Return a handler that erases a user's data, and also what servers keep for the user on this machine.

    It removes the folders first, so that they are gone when the erasure is reported as finished. A call that is still
    running may create one again; the second pass of the erasure, which such calls require, removes it.
    """

    def handle(event: object, context: LambdaContext) -> object:
        remove_state(state, cast("dict[str, Any]", event)["user"])
        return erase(event, context)

    return handle


def create_websocket_functions(role: str, *, table: str) -> None:
    """Create the functions for WebSocket connections. The table's stream invokes the one that sends events to clients.

    They send messages to connections at SATCHEL_SOCKET_ENDPOINT, the URL of API Gateway's management API.
    """
    resources.create_function(_SOCKETS, _handler("sockets"), role=role, timeout=limits.API_SECONDS)
    resources.create_function(_PUSH, _handler("push"), role=role, timeout=limits.STEP_SECONDS)
    resources.map_stream(table, _PUSH, sources.load_definition("stream"))


def invoke_websocket_function(event: Event) -> InvocationResult:
    """Invoke the function that handles WebSocket connections and messages, as API Gateway does. Return its result."""
    return HOST.invoke(_SOCKETS, dict(event))


def _handler(folder: str) -> Handler:
    """Import and return the handler of the Lambda function in ``functions/{folder}``."""
    handler: Handler = import_module(f"functions.{folder}.handler").handler
    return handler
