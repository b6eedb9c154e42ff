"""What the roles that were created allow, beside what was asked with them."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import boto3
from moto.sts.models import sts_backends

from local.aws.cloud import ACCOUNT
from tests.infra.deployment.inside import ITSELF
from tests.infra.deployment.recording import Call, Need, needs, read_calls
from tests.infra.deployment.stage import Stage
from tests.policies import allows, applies, listed

Statement = Mapping[str, Any]


class Asked:
    """Every call of a run, with the role behind it: a function's own, or that of one tool call."""

    def __init__(self, stage: Stage) -> None:
        self._roles = {each.who: each.role for each in stage.functions.values()}
        (self._machine,) = stage.physical("StepFunctions::StateMachine").values()
        (self._secret,) = stage.physical("SecretsManager::Secret").values()  # moto tells its function a name
        self._sockets = stage.functions["Push"].environment["SATCHEL_SOCKET_ENDPOINT"].removeprefix("https://")
        self.calls = [call for call in read_calls(stage.notes) if call.service != ITSELF]
        self._policies = {role: _statements(role) for role in self.roles()}

    def roles(self) -> dict[str, str]:
        """Return the names of whom the roles are for, by the real name of each."""
        of_functions = {role: who for who, role in self._roles.items()}
        return of_functions | {role: "Call" for call in self.calls for role in _assumed_role(call)}

    def needs(self, call: Call) -> list[Need]:
        """Return what a call has to be allowed."""
        host, _, stage = self._sockets.partition("/")
        told = {"stateMachineArn": self._machine, "Stage": f"{host.partition('.')[0]}/{stage}"}
        return needs(call, told | ({"SecretId": self._secret} if call.service == "secretsmanager" else {}))

    def refused(self) -> Iterator[str]:
        """Tell what AWS would not have allowed: the role, or the session policy that cuts it down to one tool call."""
        for call in self.calls:
            for need in self.needs(call):
                policies = [{"Statement": self._policies[self._role(call)]}, *_session_policy(call)]
                if not all(allows(policy, need.action, need.resource, need.context) for policy in policies):
                    yield f"{call.who} {call.operation}: {need.action} on {need.resource}"

    def unused(self) -> Iterator[tuple[str, str, str]]:
        """Give whose, which action and which resources, of every action of a statement that nothing asked for."""
        asked: defaultdict[str, list[Need]] = defaultdict(list)
        for call in self.calls:
            asked[self._role(call)] += self.needs(call)
        for role, who in self.roles().items():
            for statement in self._policies[role]:
                yield from ((who, *part) for part in _untouched(statement, asked[role]))

    def _role(self, call: Call) -> str:
        return next(_assumed_role(call), self._roles[call.who])


def _untouched(statement: Statement, asked: Sequence[Need]) -> Iterator[tuple[str, str]]:
    """Give actions on all resources, and resources by any action, of which there was none."""
    resources = listed(statement["Resource"])
    for action in listed(statement["Action"]):
        if not _any_applies({**statement, "Action": action}, asked):
            yield action, " ".join(resources)
    for resource in resources:
        if not _any_applies({**statement, "Resource": resource}, asked):
            yield " ".join(listed(statement["Action"])), resource


def _any_applies(statement: Statement, asked: Iterable[Need]) -> bool:
    return any(applies(statement, need.action, need.resource, need.context) for need in asked)


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
