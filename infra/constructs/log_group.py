"""A place for logs, which goes with what writes there."""

from typing import cast

from aws_cdk import RemovalPolicy
from aws_cdk import aws_logs as logs
from constructs import Construct


def log_group(scope: Construct, id_: str, *, days: int, name: str | None = None) -> logs.LogGroup:
    """Make a group that keeps its lines for so many days."""
    made = logs.LogGroup(scope, id_, log_group_name=name, removal_policy=RemovalPolicy.DESTROY)
    # The construct's own property wants the number's name.
    cast("logs.CfnLogGroup", made.node.default_child).retention_in_days = days
    return made
