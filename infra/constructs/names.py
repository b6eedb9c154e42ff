"""Names of resources that must be unique in the whole AWS account, and not only in one region."""

from aws_cdk import Stack
from constructs import Construct


def account_wide_name(scope: Construct) -> str:
    """Return a name that no other stack in the account uses: the names of stacks are unique in a region."""
    stack = Stack.of(scope)
    return f"{stack.stack_name}-{stack.region}"
