"""How the tool answered: whether it failed, and how long it was silent (spec 1, edge cases; spec 3 §11)."""

from collections.abc import Iterator

from local.lint.findings import Clause, Finding, quoted
from local.lint.subject import Subject

IS_ERROR = Clause("v1:error:is-error", "1 Edge Cases")
SAME_DATA = Clause("v1:output:same-data", "1 Edge Cases")
SLOW = Clause("v2.1:time:ten-seconds", "3 §11.1")

EXPECTED_SECONDS = 10
_MOST_CHARS = 300


def failed(subject: Subject) -> Iterator[Finding]:
    """Name an answer that the server marked as an error, for nothing but its form could be looked at."""
    if subject.failure is not None:
        said = f": {quoted(subject.failure, _MOST_CHARS)}." if subject.failure else ", and did not say which."
        advice = "If that is not what these arguments should give, mend the tool; then look at its output again."
        yield IS_ERROR.warning("$", f"The tool reported an error{said}", advice)


def data_is_the_same(subject: Subject) -> Iterator[Finding]:
    """Name `data` that differs from the structured content: it is ignored."""
    for node in subject.ignored:
        message = "`data` differs from the structured content, which is taken."
        yield SAME_DATA.warning(node.where, message, "Return one result.")


def answered_in_time(subject: Subject) -> Iterator[Finding]:
    """Name a silence of over ten seconds. Progress ends a silence (spec 3 §11.2)."""
    silent = subject.run.silent_seconds
    if silent > EXPECTED_SECONDS:
        message = f"The tool was silent for {silent:.1f} seconds; after {EXPECTED_SECONDS} it should have answered."
        yield SLOW.warning("$", message, "Report progress from time to time: ctx.report_progress(done, total).")
