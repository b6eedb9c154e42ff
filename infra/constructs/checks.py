"""Findings of cdk-nag that are known: each is acknowledged on the construct that it is about, with its reason.

A finding about a wildcard is named by the very text of the resource, so that is worked out here.
"""

import json
from collections.abc import Iterable
from typing import Any

from aws_cdk import Acknowledgment, Reference, Stack, Tokenization, Validations
from constructs import Construct

_PACKS = ("AwsSolutions", "Serverless")


def acknowledge(construct: Construct, **reasons: str) -> None:
    """Acknowledge findings by the names of their rules, ``AwsSolutions_S1="…"``, on a construct and what is in it."""
    Validations.of(construct).acknowledge(*(_reason(rule, reason) for rule, reason in reasons.items()))


def acknowledge_wildcards(construct: Construct, arns: Iterable[str], because: str) -> None:
    """Acknowledge those of the resources that hold a wildcard. Raises ValueError for one without a reason."""
    wide = sorted({arn for arn in arns if "*" in arn})
    if wide and not because:
        raise ValueError(f"{construct.node.path} may do something with {wide}, and nobody says why")
    found = [f"AwsSolutions-IAM5[Resource::{_as_reported(construct, arn)}]" for arn in wide]
    rules = [Acknowledgment(id=f"AwsSolutions::{finding}", reason=because) for finding in found]
    Validations.of(construct).acknowledge(*rules)


def _reason(rule: str, reason: str) -> Acknowledgment:
    pack, _, name = rule.partition("_")
    if pack not in _PACKS:
        raise ValueError(f"{rule} is of no pack that is used here")
    return Acknowledgment(id=f"{pack}::{pack}-{name}", reason=reason)


def _as_reported(construct: Construct, arn: str) -> str:
    """Write a resource as cdk-nag does, which sees the template: what another stack has is imported by name there."""
    own = Stack.of(construct)
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
    return "".join(_flat(names.get(json.dumps(part), part)) for part in parts)


def _flat(part: Any) -> str:  # noqa: ANN401  (text, or a function of CloudFormation)
    match part:
        case {"Ref": str(name)}:
            return f"<{name}>"
        case {"Fn::GetAtt": [name, attribute]}:
            return f"<{name}.{attribute}>"
        case {"Fn::ImportValue": str(name)}:
            return name
        case _:
            return str(part)
