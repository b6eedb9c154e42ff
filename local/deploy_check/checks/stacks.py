"""Check of the stacks: CloudFormation must be able to create or update them now."""

from collections.abc import Iterator

from local.deploy_check.account import Account
from local.deploy_check.findings import Finding, fails, ok
from local.deploy_check.plan import Plan

_COMMAND = "aws cloudformation"
_HEALTHY = {"CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "IMPORT_COMPLETE"}
_NEVER_CREATED = {"", "REVIEW_IN_PROGRESS", "DELETE_COMPLETE"}
_ACTIONS = {
    "ROLLBACK_COMPLETE": "the first deployment failed; delete the stack: {command} delete-stack --stack-name {name}",
    "ROLLBACK_FAILED": "delete the stack: {command} delete-stack --stack-name {name}",
    "CREATE_FAILED": "delete the stack: {command} delete-stack --stack-name {name}",
    "DELETE_FAILED": "delete the stack again: {command} delete-stack --stack-name {name}",
    "UPDATE_ROLLBACK_FAILED": "continue the roll-back: {command} continue-update-rollback --stack-name {name}",
}


def check_states(plan: Plan, account: Account) -> Iterator[Finding]:
    """Check the status of both stacks."""
    for name in (plan.data_stack, plan.service_stack):
        status = account.stack_status(name)
        if status in _NEVER_CREATED:
            yield ok(f"stack {name} does not exist yet")
        elif status in _HEALTHY:
            yield ok(f"stack {name} can be updated ({status})")
        else:
            action = _ACTIONS.get(status, "wait until the change that is in progress has ended")
            yield fails(f"stack {name} is in {status}", action.format(command=_COMMAND, name=name))
