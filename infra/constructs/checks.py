"""Acknowledge findings of cdk-nag (the policy checker), each with a reason, on the construct that has the finding.

The id of a finding about a wildcard contains the resource's ARN, so this module formats ARNs in the way cdk-nag does.
"""

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from aws_cdk import Acknowledgment, Reference, Stack, Tokenization, Validations
from constructs import Construct

_PACKS = ("AwsSolutions", "Serverless")


def acknowledge(construct: Construct, **reasons: str) -> None:
    """Acknowledge cdk-nag findings on a construct and its children. Pass each as ``AwsSolutions_S1="reason"``."""
    Validations.of(construct).acknowledge(*(_reason(rule, reason) for rule, reason in reasons.items()))


def acknowledge_wildcards(construct: Construct, arns: Iterable[str], because: str) -> None:
    """Acknowledge findings about wildcards in ARNs. Raise ValueError for a wildcard without a reason (``because``)."""
    wildcards = sorted({arn for arn in arns if "*" in arn})
    if wildcards and not because:
        raise ValueError(f"{construct.node.path} has permissions on {wildcards} without a reason")
    own = Stack.of(construct)
    findings = [f"AwsSolutions-IAM5[Resource::{_resource_text(own, arn)}]" for arn in wildcards]
    rules = [Acknowledgment(id=f"AwsSolutions::{finding}", reason=because) for finding in findings]
    Validations.of(construct).acknowledge(*rules)


def _reason(rule: str, reason: str) -> Acknowledgment:
    pack, _, name = rule.partition("_")
    if pack not in _PACKS:
        raise ValueError(f"{rule}: the rule packs are {', '.join(_PACKS)}")
    return Acknowledgment(id=f"{pack}::{pack}-{name}", reason=reason)


@lru_cache(maxsize=64)
def _resource_text(own: Stack, arn: str) -> str:
    """Return an ARN as cdk-nag formats it. An ARN from another stack appears as the name of that stack's export.

    Most functions have wildcards in the same few ARNs. Each takes a dozen requests to the Node process of CDK.
    """
    imported = {
        json.dumps(own.resolve(token)): Stack.of(token.target).export_value(token)
        for token in Tokenization.reverse_string(arn).tokens
        if isinstance(token, Reference) and Stack.of(token.target) != own
    }
    match own.resolve(arn):
        case {"Fn::Join": ["", list(parts)]}:
            pass
        case whole:
            parts = [whole]
    names = {part: own.resolve(value) for part, value in imported.items()}
    return "".join(_part_text(names.get(json.dumps(part), part)) for part in parts)


def _part_text(part: Any) -> str:  # noqa: ANN401  (text, or a CloudFormation function)
    match part:
        case {"Ref": str(name)}:
            return f"<{name}>"
        case {"Fn::GetAtt": [name, attribute]}:
            return f"<{name}.{attribute}>"
        case {"Fn::ImportValue": str(name)}:
            return name
        case _:
            return str(part)
