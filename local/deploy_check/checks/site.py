"""Checks of CloudFront and of the certificate for the page's own domain."""

from collections.abc import Iterator
from typing import Any

from local.deploy_check.account import Account
from local.deploy_check.findings import Finding, fails, ok, warning
from local.deploy_check.plan import Plan
from local.deploy_check.reads import DESCRIBE_CERTIFICATE, LIST_DISTRIBUTIONS

_CERTIFICATE_REGION = "us-east-1"


def check_cloudfront(plan: Plan, account: Account) -> Iterator[Finding]:
    """Look for distributions: AWS must have verified an account that has one. Nothing else tells it."""
    if plan.settings.site == "none":
        return
    items = "DistributionList.Items[].{id: Id, aliases: Aliases.Items}"
    distributions = account.read_all(LIST_DISTRIBUTIONS, items)
    if distributions:
        yield ok(f"the account can use CloudFront: it has {len(distributions)} distributions")
    else:
        yield warning(
            "the account has no CloudFront distribution: AWS refuses the first one until the account is verified",
            'if the deployment fails with "Your account must be verified", ask AWS Support, or set site=none',
        )
    if domain := plan.settings.domain:
        own = account.resources(plan.service_stack)
        others = [each["id"] for each in distributions if domain in (each["aliases"] or []) and each["id"] not in own]
        if others:
            yield fails(
                f"the distribution {others[0]} already has the domain {domain}, and only one can have it",
                "remove the alternate domain name there, or set another domain",
            )


def check_certificate(plan: Plan, account: Account) -> Iterator[Finding]:
    """Check that the certificate is issued and covers the domain."""
    arn, domain = plan.settings.certificate_arn, plan.settings.domain
    if not arn or not domain:
        return
    found = account.read(DESCRIBE_CERTIFICATE, region=_CERTIFICATE_REGION, CertificateArn=arn)
    certificate: dict[str, Any] = found.get("Certificate", {})
    if not certificate:
        yield fails(f"the certificate {arn} does not exist in this account", "set the ARN of one that does")
        return
    names = [certificate.get("DomainName", ""), *certificate.get("SubjectAlternativeNames", [])]
    wildcard = "*." + domain.partition(".")[2]
    if certificate["Status"] != "ISSUED":
        yield fails(
            f"the certificate for {domain} is {certificate['Status']}, not ISSUED",
            "create the DNS record that `aws acm describe-certificate` prints, then wait until it is issued",
        )
    elif domain not in names and wildcard not in names:
        yield fails(f"the certificate covers {', '.join(names)}, and not {domain}", "request one for the domain")
    else:
        yield ok(f"the certificate for {domain} is issued")
