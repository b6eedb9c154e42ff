"""Findings as text, for comparison."""

from collections.abc import Iterable

from local.deploy_check.findings import Finding, Level


def texts(findings: Iterable[Finding], level: Level) -> list[str]:
    """Return the texts of the findings of a level."""
    return [each.text for each in findings if each.level is level]


def about(findings: Iterable[Finding], part: str) -> Finding:
    """Return the only finding whose text contains ``part``."""
    (found,) = [each for each in findings if part in each.text]
    return found
