"""What a deferred file may say about its waiting (spec 3 §7.1)."""

from collections.abc import Iterator

from local.lint.findings import Clause, Finding, quoted
from local.lint.rules.types import INTEGER
from local.lint.subject import Subject
from satchel.contract.tool_output import MAX_EXPIRES_HOURS

EXPIRES = Clause("v2.1:deferred:expires-hours", "3 §7.1")
REASON = Clause("v2.1:deferred:reason", "3 §7.1")

REASONS = ("needs_editing", "draft", "incomplete", "awaiting_approval")


def expiry_within_a_year(subject: Subject) -> Iterator[Finding]:
    """Name lifetimes that are no whole number of hours, or out of bounds."""
    for node in subject.deferred:
        hours = node.get("expires_hours")
        if hours and not (INTEGER.fits(hours.value) and 1 <= hours.value <= MAX_EXPIRES_HOURS):
            message = f"{quoted(hours.value)} is no number of hours from 1 to {MAX_EXPIRES_HOURS}."
            yield EXPIRES.error(hours.where, message, "Give whole hours, or none: then it is 72.")


def reasons_are_known(subject: Subject) -> Iterator[Finding]:
    """Name reasons that the specification does not list; they are shown as they are."""
    for node in subject.deferred:
        reason = node.text("reason")
        if reason and reason not in REASONS:
            message = f"{quoted(reason)} is not one of the known reasons."
            yield REASON.warning(f"{node.where}.reason", message, f"Use one of {', '.join(REASONS)}.")
