"""The checks. Each is a function that reads the account and yields findings.

A check that lacks a permission raises DeniedError: the command reports it and continues with the next check.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from local.deploy_check.account import Account
from local.deploy_check.checks import models, names, quotas, region, secrets, site, stacks, stores
from local.deploy_check.findings import Finding
from local.deploy_check.plan import Plan


class Check(NamedTuple):
    """A check, and the words for what it checks."""

    subject: str
    run: Callable[[Plan, Account], Iterator[Finding]]


CHECKS = (
    Check("services of the region", region.check_services),
    Check("bootstrap stack", region.check_bootstrap),
    Check("stacks", stacks.check_states),
    Check("function names", names.check_functions),
    Check("state machine name", names.check_state_machine),
    Check("log group name", names.check_log_group),
    Check("dashboard name", names.check_dashboard),
    Check("sign-in page", names.check_sign_in_page),
    Check("CloudFront access control name", names.check_access_control),
    Check("CloudFront headers policy name", names.check_headers_policy),
    Check("CloudFront", site.check_cloudfront),
    Check("certificate", site.check_certificate),
    Check("buckets", stores.check_bucket),
    Check("tables", stores.check_table),
    Check("user pool", stores.check_user_pool),
    Check("Lambda concurrency", quotas.check_concurrency),
    Check("reserved concurrency", quotas.check_reserved_concurrency),
    Check("Lambda code storage", quotas.check_code_storage),
    Check("API Gateway quota", quotas.check_api_rate),
    Check("Step Functions quota", quotas.check_executions),
    Check("secrets", secrets.check_secrets),
    Check("models", models.check_models),
)
