"""Checks of quotas: concurrency and code storage of Lambda, rates of API Gateway and Step Functions."""

from collections.abc import Iterator

from local.deploy_check.account import Account, UnansweredError
from local.deploy_check.findings import Finding, fails, ok, warning
from local.deploy_check.plan import Plan
from local.deploy_check.reads import GET_ACCOUNT_SETTINGS, GET_FUNCTION_CONCURRENCY, LIST_SERVICE_QUOTAS

_USUAL_CONCURRENCY = 1000
_UNRESERVABLE = 100
"""Lambda keeps this much concurrency for functions without a reservation."""
_TENANTS_PER_1000 = 2500
_EXECUTIONS_PER_TURN = 3
"""A turn with a tool uses at most this many functions at once: the API's, a step's and the tool's."""
_CODE_BYTES = 500_000_000
"""More than one deployment of all layers adds. Lambda keeps the earlier versions until they are deleted."""
_RAISE = (
    "aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 "
    f"--desired-value {_USUAL_CONCURRENCY}"
)


def check_concurrency(plan: Plan, account: Account) -> Iterator[Finding]:
    """Compare the account's concurrency with the usual one. New accounts start with much less."""
    limit = _lambda_settings(account)["AccountLimit"]["ConcurrentExecutions"]
    tenants = limit * _TENANTS_PER_1000 // 1000
    runners = max(len(plan.runners), 1)
    text = (
        f"{limit} functions can run at the same time: about {limit // _EXECUTIONS_PER_TURN} turns with tools; "
        f"{tenants} environments of tenants: {tenants // runners} active users of all {runners} servers"
    )
    yield ok(text) if limit >= _USUAL_CONCURRENCY else warning(text, f"raise the quota: {_RAISE}")


def check_reserved_concurrency(plan: Plan, account: Account) -> Iterator[Finding]:
    """Check that the account has the concurrency that the settings reserve, and the rest that Lambda keeps."""
    reserved = plan.settings.reserved_concurrency
    if not reserved:
        return
    requested = sum(count * (len(plan.runners) if name == "run_tool" else 1) for name, count in reserved.items())
    limits = _lambda_settings(account)["AccountLimit"]
    free = limits["UnreservedConcurrentExecutions"] + _own_reservations(plan, account) - _UNRESERVABLE
    text = f"the settings reserve a concurrency of {requested}; {max(free, 0)} can be reserved"
    yield ok(text) if requested <= free else fails(text, f"reserve less, or raise the quota: {_RAISE}")


def check_code_storage(_plan: Plan, account: Account) -> Iterator[Finding]:
    """Check that the account's storage for functions and layers has room for one more deployment."""
    answer = _lambda_settings(account)
    free = answer["AccountLimit"]["TotalCodeSize"] - answer["AccountUsage"]["TotalCodeSize"]
    text = f"{free / 1e9:.1f} GB of Lambda's code storage are free"
    yield ok(text) if free >= _CODE_BYTES else fails(text, "delete old versions of layers (`aws lambda list-layers`)")


def check_api_rate(plan: Plan, account: Account) -> Iterator[Finding]:
    """Compare API Gateway's request rate with the one that the settings allow."""
    rate = _quotas(account, "apigateway").get("Throttle rate")
    allowed = plan.settings.requests_per_second
    if rate is None:
        return
    text = f"API Gateway serves {rate:.0f} requests a second in this region; the settings allow {allowed}"
    yield (
        ok(text) if rate >= allowed else warning(text, "raise the quota “Throttle rate”, or lower requests_per_second")
    )


def check_executions(_plan: Plan, account: Account) -> Iterator[Finding]:
    """Report how many turns Step Functions can start."""
    quotas = {name: value for name, value in _quotas(account, "states").items() if "StartExecution" in name}
    for name, value in sorted(quotas.items()):
        yield ok(f"Step Functions, {name}: {value:.0f} (each turn is an execution)")


def _lambda_settings(account: Account) -> dict[str, dict[str, int]]:
    answer: dict[str, dict[str, int]] = account.read(GET_ACCOUNT_SETTINGS)
    if "AccountLimit" not in answer:
        raise UnansweredError(f"{GET_ACCOUNT_SETTINGS.action} gave no limits")
    return answer


def _quotas(account: Account, service: str) -> dict[str, float]:
    found = account.read_all(LIST_SERVICE_QUOTAS, "Quotas[].{name: QuotaName, value: Value}", ServiceCode=service)
    return {each["name"]: float(each["value"]) for each in found}


def _own_reservations(plan: Plan, account: Account) -> int:
    """Return what the functions of the deployment already reserve."""
    resources = account.typed_resources(plan.service_stack)
    functions = [name for name, kind in resources.items() if kind == "AWS::Lambda::Function"]
    answers = [account.read(GET_FUNCTION_CONCURRENCY, FunctionName=name) for name in functions]
    return sum(answer.get("ReservedConcurrentExecutions", 0) for answer in answers)
