"""The part of `docs/security.md` that says what stolen credentials can do: those of a call, and the runner's own role.

`python -m tests.infra.stolen_credentials` writes it. The policies are those of the synthesized templates and of
`StsCredentials`, and an evaluator that is not Satchel's combines them.
"""

import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from infra.sources import ROOT
from satchel.adapters.sts_credentials import StsCredentials
from satchel.domain.ids import CallId, TurnId, UserName, call_id, turn_of
from satchel.domain.object_keys import call_objects_prefixes, outcome_key
from tests.infra.conftest import read_stacks, synthesize
from tests.infra.templates import Stacks
from tests.policy_evaluator import Policy, is_allowed

DOCUMENT = ROOT / "docs" / "security.md"
DEPLOYMENT = "added_server"  # its server ``added`` reads a secret
RUNNER = "Runadded"

_ACCOUNT, _REGION = "123456789012", "eu-central-1"
_ADA, _BOB = UserName("ada"), UserName("bob")
_TURN, _OTHER_TURN = TurnId("t01kabcdefghjkmnpqrstvwxyz0"), TurnId("t01kabcdefghjkmnpqrstvwxyz1")
_CALL, _SIBLING = call_id(_TURN, 0, 0), call_id(_TURN, 0, 1)
_ITEM_ACTIONS = ("GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query")
_OBJECT_ACTIONS = ("PutObject", "PutObjectTagging", "AbortMultipartUpload", "GetObject", "DeleteObject")
_MARKS = ("<!-- stolen credentials: begin (generated) -->\n", "<!-- stolen credentials: end -->")


@dataclass(frozen=True)
class Target:
    """Something that a thief may want to reach: a name, the ARNs, the actions, and the partition key of items."""

    name: str
    arns: Sequence[str]
    actions: Sequence[str]
    partition_key: str | None = None


def _arn(service: str, resource: str) -> str:
    return f"arn:aws:{service}:{_REGION}:{_ACCOUNT}:{resource}"


_TABLE, _BUCKET = _arn("dynamodb", "table/records"), "arn:aws:s3:::files"
_MACHINE = _arn("states", "stateMachine:satchel-turn")


def _items(name: str, partition_key: str) -> Target:
    return Target(name, [_TABLE], [f"dynamodb:{action}" for action in _ITEM_ACTIONS], partition_key)


def _objects(name: str, *keys: str) -> Target:
    return Target(name, [f"{_BUCKET}/{key}" for key in keys], [f"s3:{action}" for action in _OBJECT_ACTIONS])


def _files_of(user: UserName, call: CallId) -> list[str]:
    return [f"{prefix}x/report.html" for prefix in call_objects_prefixes(user, call)]


def _secret(name: str) -> list[str]:
    return [_arn("secretsmanager", f"secret:{name}-Ab12Cd")]


TARGETS = (
    _items("this call's claim, reported events and result, questions and answers", f"RUN#{_CALL}"),
    _items("claim, reported events and result, questions and answers of another call of the turn", f"RUN#{_SIBLING}"),
    _items("events and subscriptions of the turn", f"TURN#{_TURN}"),
    _items("calls, approvals, stored questions and answers of the turn", f"CALLS#{_TURN}"),
    _items("record and messages of the turn", "SESSION#s01kabcdefghjkmnpqrstvwxyz0"),
    _items("the user's sessions and files", "USER#ada"),
    _items("another turn's events", f"TURN#{_OTHER_TURN}"),
    _items("another user's sessions and files", "USER#bob"),
    _items("connections", "CONN#a="),
    _items("tool lists", "SERVER#added"),
    _objects("this call's files", *_files_of(_ADA, _CALL)),
    _objects("this call's result, if it is large", outcome_key(_ADA, _TURN, _CALL)),
    _objects("files of another call of the turn", *_files_of(_ADA, _SIBLING)),
    _objects("large result of another call of the turn", outcome_key(_ADA, _TURN, _SIBLING)),
    _objects("long arguments and messages of the turn", f"ada/turns/{_TURN}/texts/0123.json"),
    _objects("the user's uploads", "ada/uploads/20260301/f01kabcdefghjkmnpqrstvwxyz0/a.csv"),
    _objects("another user's files and results", *_files_of(_BOB, _CALL), outcome_key(_BOB, _TURN, _CALL)),
    Target("lists of the bucket and the table", [_BUCKET, _TABLE], ["s3:ListBucket", "dynamodb:Scan"]),
    Target("state machine", [_MACHINE], [f"states:SendTask{kind}" for kind in ("Success", "Heartbeat", "Failure")]),
    Target("state machine: start, stop", [_MACHINE], ["states:StartExecution", "states:StopExecution"]),
    Target("secrets of this server", _secret("satchel/ADDED_KEY"), ["secretsmanager:GetSecretValue"]),
    Target(
        "secrets of other servers and providers",
        [*_secret("satchel/NEAR_KEY"), *_secret("satchel/ANTHROPIC_API_KEY")],
        ["secretsmanager:GetSecretValue"],
    ),
    Target("key that signs links", _secret("CapabilityKey"), ["secretsmanager:GetSecretValue"]),
    Target("key that signs tokens of dashboards", [_arn("kms", "key/1")], ["kms:Sign"]),
    Target("log of this server", [_arn("logs", f"log-group:{RUNNER}Log:log-stream:a")], ["logs:PutLogEvents"]),
    Target("logs of other functions", [_arn("logs", "log-group:ApiLog:log-stream:a")], ["logs:PutLogEvents"]),
    Target("functions", [_arn("lambda", "function:any")], ["lambda:InvokeFunction"]),
    Target("role of calls", [f"arn:aws:iam::{_ACCOUNT}:role/call"], ["sts:AssumeRole"]),
)


def session_policy() -> Policy:
    """Return the session policy of the call ``_CALL`` of the user ada."""
    source = StsCredentials(cast("Any", None), f"arn:aws:iam::{_ACCOUNT}:role/call", "files", "records")
    return source.policy(_CALL, call_objects_prefixes(_ADA, _CALL), outcome_key(_ADA, TurnId(turn_of(_CALL)), _CALL))


def role_policy(stacks: Stacks, role: str) -> Policy:
    """Return the policy of a role in the templates, with ARNs of an example account."""
    statements = [
        {"Effect": "Allow", "Action": each.actions, "Resource": each.resources, "Condition": each.conditions}
        for each in stacks.statements()
        if each.role == role
    ]
    return cast("Policy", json.loads(_with_arns(json.dumps({"Statement": statements}))))


def _with_arns(text: str) -> str:
    known = {"{Records.Arn}": _TABLE, "{Files.Arn}": _BUCKET}
    pseudo = {"{AWS::Partition}": "aws", "{AWS::Region}": _REGION, "{AWS::AccountId}": _ACCOUNT}
    for reference, value in (known | pseudo).items():
        text = text.replace(reference, value)
    text = re.sub(r"\{(\w+Log)\.Arn\}", lambda match: _arn("logs", f"log-group:{match[1]}:*"), text)
    assert "{AWS::" not in text, text
    assert ".Arn}" not in text, text
    return text


def allowed(target: Target, role: Policy, *limits: Policy) -> list[str]:
    """Return the actions that a role, limited by session policies, allows on any ARN of a target."""
    key = target.partition_key
    return [
        action
        for action in target.actions
        if any(is_allowed(action, arn, role, *limits, partition_key=key) for arn in target.arns)
    ]


def table(stacks: Stacks) -> str:
    """Return the generated part of the document."""
    return "\n".join(["| target | credentials of a call | role of the runner |", "|---|---|---|", *_rows(stacks), ""])


def _rows(stacks: Stacks) -> Iterator[str]:
    call, runner = role_policy(stacks, "Call"), role_policy(stacks, RUNNER)
    for target in TARGETS:
        key = f" (`{target.partition_key.partition('#')[0]}#…`)" if target.partition_key else ""
        cells = _cell(allowed(target, call, session_policy())), _cell(allowed(target, runner))
        yield f"| {target.name}{key} | {' | '.join(cells)} |"


def _cell(actions: Sequence[str]) -> str:
    return ", ".join(f"`{action}`" for action in actions) or "none"


def with_table(document: str, generated: str) -> str:
    """Return the document with its generated part replaced."""
    begin, end = _MARKS
    before, _, rest = document.partition(begin)
    assert rest, "the document has no place for the table"
    return f"{before}{begin}{generated}{end}{rest.partition(end)[2]}"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        synthesize(Path(name), DEPLOYMENT)
        generated = table(read_stacks(Path(name) / DEPLOYMENT))
    DOCUMENT.write_text(with_table(DOCUMENT.read_text("utf-8"), generated), "utf-8")
