"""A comparison of the permissions of the created roles with the permissions that the recorded calls require."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import boto3
from moto.sts.models import sts_backends

from local.emulator.aws.cloud import ACCOUNT
from tests.iam_policies import allows, as_list, is_applicable
from tests.infra.deployment.function_process import INVOCATION, METRIC, PROCESSOR_TIME
from tests.infra.deployment.recorded_calls import Call, Permission, read_calls, required_permissions
from tests.infra.deployment.system import DeployedSystem

Statement = Mapping[str, Any]


class RoleCheck:
    """All calls of a run, and the roles that sent them: a function's own, or the role of a tool call."""

    def __init__(self, system: DeployedSystem) -> None:
        self._roles = {each.label: each.role for each in system.functions.values()}
        (self._machine,) = system.physical_ids("StepFunctions::StateMachine").values()
        (self._secret,) = system.physical_ids("SecretsManager::Secret").values()  # moto passes its name to the function
        self._sockets = system.functions["Push"].environment["SATCHEL_SOCKET_ENDPOINT"].removeprefix("https://")
        self.calls = [
            call for call in read_calls(system.call_logs) if call.service not in {INVOCATION, METRIC, PROCESSOR_TIME}
        ]
        self._policies = {role: _statements(role) for role in self.labels()}

    def labels(self) -> dict[str, str]:
        """Return the readable names of the roles by their physical names."""
        of_functions = {role: label for label, role in self._roles.items()}
        return of_functions | {role: "Call" for call in self.calls for role in _assumed_role(call)}

    def permissions(self, call: Call) -> list[Permission]:
        """Return the permissions that a call requires."""
        host, _, stage = self._sockets.partition("/")
        params = {"stateMachineArn": self._machine, "Stage": f"{host.partition('.')[0]}/{stage}"}
        secret = {"SecretId": self._secret} if call.service == "secretsmanager" else {}
        return required_permissions(call, params | secret)

    def denied(self) -> Iterator[str]:
        """Yield the calls that the role, or the session policy of its tool call, does not allow."""
        for call in self.calls:
            for each in self.permissions(call):
                policies = [{"Statement": self._policies[self._role(call)]}, *_session_policy(call)]
                if not all(allows(policy, each.action, each.resource, each.context) for policy in policies):
                    yield f"{call.function} {call.operation}: {each.action} on {each.resource}"

    def unused(self) -> Iterator[tuple[str, str, str]]:
        """Yield role, action and resources of each part of a statement that no call required."""
        required: defaultdict[str, list[Permission]] = defaultdict(list)
        for call in self.calls:
            required[self._role(call)] += self.permissions(call)
        for role, label in self.labels().items():
            for statement in self._policies[role]:
                yield from ((label, *part) for part in _unused_parts(statement, required[role]))

    def _role(self, call: Call) -> str:
        return next(_assumed_role(call), self._roles[call.function])


def _unused_parts(statement: Statement, required: Sequence[Permission]) -> Iterator[tuple[str, str]]:
    """Yield actions that no call required on any resource, and resources that no call required with any action."""
    resources = as_list(statement["Resource"])
    for action in as_list(statement["Action"]):
        if not _applies_to_any({**statement, "Action": action}, required):
            yield action, " ".join(resources)
    for resource in resources:
        if not _applies_to_any({**statement, "Resource": resource}, required):
            yield " ".join(as_list(statement["Action"])), resource


def _applies_to_any(statement: Statement, required: Iterable[Permission]) -> bool:
    return any(is_applicable(statement, each.action, each.resource, each.context) for each in required)


def _statements(role: str) -> list[Statement]:
    iam = boto3.client("iam")
    names = iam.list_role_policies(RoleName=role)["PolicyNames"]
    documents = [iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"] for name in names]
    return [statement for document in documents for statement in document["Statement"]]


def _assumed_role(call: Call) -> Iterator[str]:
    assumed = sts_backends[ACCOUNT]["aws"].get_assumed_role_from_access_key(call.key_id)
    if assumed is not None:
        yield str(assumed.role_arn).rpartition("/")[2]


def _session_policy(call: Call) -> Iterator[dict[str, Any]]:
    assumed = sts_backends[ACCOUNT]["aws"].get_assumed_role_from_access_key(call.key_id)
    if assumed is not None:
        yield json.loads(assumed.policy)
