"""Evaluation of IAM policies with the evaluator of MiniStack, an emulator of AWS.

It is not Satchel's, and it applies session policies, conditions with sets of values and implicit denials. The module
``iam_policies`` has a smaller evaluator, for the many requests of a recorded run.
"""

from collections.abc import Mapping
from typing import Any

from ministack.core.iam_evaluator import (  # type: ignore[import-untyped]  # it has no type annotations
    EvalContext,
    evaluate,
    parse_policy_document,
)

Policy = Mapping[str, Any]


def is_allowed(action: str, arn: str, role: Policy, *limits: Policy, partition_key: str | None = None) -> bool:
    """Return True if a role, within the ``limits`` of session policies, allows an action on an item or another ARN."""
    _, _, _, region, account, _ = arn.split(":", 5)
    context = EvalContext(
        principal_arn=f"arn:aws:sts::{account}:assumed-role/role/session",
        principal_type="AssumedRole",
        principal_account=account,
        action=action,
        resource_arn=arn,
        region=region,
        service_context={"dynamodb:leadingkeys": [partition_key]} if partition_key else {},
    )
    parsed = [[parse_policy_document(dict(each))] for each in limits]
    decision: str = evaluate(context, [parse_policy_document(dict(role))], *parsed).decision
    return decision == "Allow"
