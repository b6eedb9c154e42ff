"""Run all checks and print their findings: `satchel deploy-check`."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import typer
from pydantic import ValidationError

from infra.servers import UndeployableError
from infra.settings import UnknownSettingError
from local.cli.errors import ExitCode, print_error
from local.cli.text import one_line
from local.deploy_check.account import Account, DeniedError, NoAccountError, UnansweredError, connect
from local.deploy_check.checks import CHECKS, Check
from local.deploy_check.findings import Finding, Level, unknown
from local.deploy_check.plan import ContextError, Plan, read_plan


def check_deployment(options: list[str], *, quiet: bool) -> ExitCode:
    """Print the findings: with ``quiet``, only those with something to do. Return FAILURE if something will fail."""
    try:
        plan = read_plan(options, Path.cwd(), Path.home())
        account = connect()
    except (ContextError, UnknownSettingError, UndeployableError, ValidationError, OSError, NoAccountError) as error:
        print_error(str(error))
        return ExitCode.ERROR
    name = plan.settings.name
    typer.echo(f"deployment {name} in account {account.id}, region {account.region}")
    count: Counter[Level] = Counter()
    for finding in find_all(plan, account):
        count[finding.level] += 1
        if not quiet or finding.level is not Level.OK:
            _print(finding)
    typer.echo(
        f"{count[Level.FAILS]} will fail, {count[Level.WARNING]} warnings, {count[Level.UNKNOWN]} not checked, "
        f"{count[Level.OK]} fine"
    )
    return ExitCode.FAILURE if count[Level.FAILS] else ExitCode.SUCCESS


def find_all(plan: Plan, account: Account, checks: Iterable[Check] = CHECKS) -> Iterator[Finding]:
    """Yield the findings of the checks. A check that cannot read the account yields why, and the next one follows."""
    for check in checks:
        try:
            yield from check.run(plan, account)
        except DeniedError as error:
            yield unknown(f"{check.subject}: could not be checked", f"it needs the action {error.action}")
        except UnansweredError as error:
            yield unknown(f"{check.subject}: could not be checked ({error})", "repeat the command")


def _print(finding: Finding) -> None:
    typer.echo(f"{finding.level:8} {one_line(finding.text)}")
    if finding.action:
        typer.echo(f"{'':8} -> {one_line(finding.action)}")
