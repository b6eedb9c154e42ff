"""Check of the secrets that mcp.json and the models name. Their values are not read."""

from collections.abc import Iterator

from local.deploy_check.account import Account
from local.deploy_check.findings import Finding, fails, ok
from local.deploy_check.plan import Plan
from local.deploy_check.reads import DESCRIBE_SECRET


def check_secrets(plan: Plan, account: Account) -> Iterator[Finding]:
    """Check that each secret exists. The deployment succeeds without it, but each call that needs it fails."""
    for name, users in plan.secrets.items():
        secret = account.read(DESCRIBE_SECRET, SecretId=name)
        if not secret:
            yield fails(
                f"there is no secret {name}, so calls fail: {users}",
                f"aws secretsmanager create-secret --name {name} --secret-string …",
            )
        elif "DeletedDate" in secret:
            yield fails(
                f"the secret {name} is being deleted, so calls fail: {users}",
                f"aws secretsmanager restore-secret --secret-id {name}",
            )
        else:
            yield ok(f"the secret {name} exists")
