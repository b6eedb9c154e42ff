"""Checks of names: a resource outside the deployment may already have the name that a new resource gets.

Resources whose names CloudFormation generates (bucket, table, most functions) cannot collide.
"""

from collections.abc import Iterator
from hashlib import sha256

from local.deploy_check.account import Account
from local.deploy_check.findings import Finding, fails, ok
from local.deploy_check.plan import Plan, account_wide_name
from local.deploy_check.reads import (
    DESCRIBE_LOG_GROUPS,
    DESCRIBE_STATE_MACHINE,
    DESCRIBE_USER_POOL_DOMAIN,
    GET_FUNCTION,
    LIST_ACCESS_CONTROLS,
    LIST_DASHBOARDS,
    LIST_HEADERS_POLICIES,
    Read,
)

_SUFFIX_LENGTH = 8
_OTHER_NAME = "delete or rename it, or set another `name`"


def check_functions(plan: Plan, account: Account) -> Iterator[Finding]:
    """Check the functions that run tools: only their names are fixed."""
    own = account.resources(plan.service_stack)
    names = [name for name in plan.runners if name not in own]
    taken = [name for name in names if account.read(GET_FUNCTION, FunctionName=name)]
    for name in taken:
        yield fails(f"a function outside the deployment has the name {name}", _OTHER_NAME)
    if not taken:
        yield ok(f"the names of {len(plan.runners)} functions that run tools are free or the deployment's own")


def check_state_machine(plan: Plan, account: Account) -> Iterator[Finding]:
    """Check the state machine of turns."""
    arn = f"arn:{account.partition}:states:{account.region}:{account.id}:stateMachine:{plan.machine}"
    exists = bool(account.read(DESCRIBE_STATE_MACHINE, stateMachineArn=arn))
    yield _finding(plan, account, "state machine", plan.machine, arn if exists else None)


def check_log_group(plan: Plan, account: Account) -> Iterator[Finding]:
    """Check the log group of the state machine."""
    groups = account.read_all(DESCRIBE_LOG_GROUPS, "logGroups[].logGroupName", logGroupNamePrefix=plan.log_group)
    yield _finding(plan, account, "log group", plan.log_group, plan.log_group if plan.log_group in groups else None)


def check_dashboard(plan: Plan, account: Account) -> Iterator[Finding]:
    """Check the dashboard."""
    name = account_wide_name(plan, account.region)
    boards = account.read_all(LIST_DASHBOARDS, "DashboardEntries[].DashboardName", DashboardNamePrefix=name)
    yield _finding(plan, account, "dashboard", name, name if name in boards else None)


def check_access_control(plan: Plan, account: Account) -> Iterator[Finding]:
    """Check CloudFront's access control. Its name must be unique in the account."""
    items = "OriginAccessControlList.Items[].{id: Id, name: Name}"
    yield from _check_cloudfront(plan, account, "CloudFront origin access control", LIST_ACCESS_CONTROLS, items)


def check_headers_policy(plan: Plan, account: Account) -> Iterator[Finding]:
    """Check CloudFront's policy with the page's headers. Its name must be unique in the account."""
    policy = "ResponseHeadersPolicyList.Items[].ResponseHeadersPolicy"
    items = f"{policy}.{{id: Id, name: ResponseHeadersPolicyConfig.Name}}"
    yield from _check_cloudfront(
        plan, account, "CloudFront headers policy", LIST_HEADERS_POLICIES, items, Type="custom"
    )


def check_sign_in_page(plan: Plan, account: Account) -> Iterator[Finding]:
    """Check the host name of the sign-in page, which all accounts of a region share."""
    if not plan.creates_sign_in_page:
        return
    name = sign_in_domain(plan, account.id)
    domain = account.read(DESCRIBE_USER_POOL_DOMAIN, Domain=name).get("DomainDescription", {})
    yield _finding(plan, account, "sign-in page", name, name if domain.get("UserPoolId") else None)


def sign_in_domain(plan: Plan, account_id: str) -> str:
    """Return the first part of the sign-in page's host name (``infra.constructs.sign_in``)."""
    pool = plan.settings.existing_user_pool
    suffix = f"-{sha256(pool.encode()).hexdigest()[:_SUFFIX_LENGTH]}" if pool else ""
    return f"{plan.settings.name}-{account_id}{suffix}"


def _check_cloudfront(
    plan: Plan, account: Account, kind: str, request: Read, items: str, **params: str
) -> Iterator[Finding]:
    if plan.settings.site == "none":
        return
    name = account_wide_name(plan, account.region)
    same = [each["id"] for each in account.read_all(request, items, **params) if each["name"] == name]
    yield _finding(plan, account, kind, name, same[0] if same else None)


def _finding(plan: Plan, account: Account, kind: str, name: str, existing_id: str | None) -> Finding:
    """Return the finding about a name that the resource ``existing_id`` has, if it is not None."""
    if existing_id is None:
        return ok(f"{kind} {name}: the name is free")
    if existing_id in account.resources(plan.data_stack, plan.service_stack):
        return ok(f"{kind} {name}: it is the deployment's own")
    return fails(f"a {kind} outside the deployment has the name {name}", _OTHER_NAME)
