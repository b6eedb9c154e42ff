"""The state machine of a turn: the very file that is deployed, with the functions that it names in this process."""

import re
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from infra import limits, sources
from local import settings
from local.aws import resources
from local.aws.seams import status_changes
from local.aws.seams.lambda_invoke import HOST
from satchel.settings import ApprovalSettings

if TYPE_CHECKING:
    from local.runners.context import Handler

_FUNCTION = re.compile(r'"FunctionName": "\$\{(\w+)\}"')
_LONGER = {"Think": limits.THINK_SECONDS}
_SECONDS: Mapping[str, object] = {
    "HeartbeatSeconds": limits.HEARTBEAT_SECONDS,
    "CallTimeoutSeconds": limits.CALL_TIMEOUT_SECONDS,
    "TurnTimeoutSeconds": limits.TURN_TIMEOUT_SECONDS,
}


def create_turn_machine(role: str) -> str:
    """Create the functions and the machine, and return its ARN; Finish hears of executions that end without it."""
    definition = sources.TURN_WORKFLOW.read_text(encoding="utf-8")
    functions: dict[str, object] = {state: _function(state, role) for state in set(_FUNCTION.findall(definition))}
    status_changes.listen(lambda event: HOST.invoke_later(_name("Finish"), dict(event)))
    approval = {"ApprovalSeconds": ApprovalSettings().approval_seconds}
    values = functions | {**_SECONDS} | approval
    return resources.create_state_machine(f"{settings.NAME}-turn", definition, values, role=role)


def _function(state: str, role: str) -> str:
    handler: Handler = import_module(f"functions.{state.lower()}.handler").handler
    return resources.create_function(_name(state), handler, role=role, timeout=_LONGER.get(state, limits.STEP_SECONDS))


def _name(state: str) -> str:
    return f"{settings.NAME}-{state.lower()}"
