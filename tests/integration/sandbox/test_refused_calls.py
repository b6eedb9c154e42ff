"""The real runner handler lists and runs a tool although the machine refuses system calls, as Lambda may.

The runner has an unprivileged user, a read-only file system, 512 MB in ``/tmp``, no ``/dev/shm`` and Lambda's limits.
"""

import errno

import pytest

from tests.refused_calls import document
from tests.refused_calls.refused_calls import KERNEL_LAYERS, NAMES, NEEDED, tolerated
from tests.refused_calls.runs import ERRORS, ROOT, Case, Outcome, run_cases

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.skipif(ROOT.is_relative_to("/tmp"), reason="the sandbox has its own /tmp, which hides this checkout"),
]
WITHOUT_KERNEL_LAYERS = frozenset({"landlock", "seccomp", "mounts"})
SAFEGUARDS = {
    "PR_SET_DUMPABLE": {"memory"},
    "PR_SET_CHILD_SUBREAPER": {"subreaper"},
    "PR_SET_PDEATHSIG": {"death_signal"},
    "PR_CAP_AMBIENT": {"privileges"},
    "setsid": {"session"},
    "pidfd_open": set(),
    "waitid": set(),
}
ALONE = [Case((*KERNEL_LAYERS, name), errno.ENOSYS if name == "pidfd_open" else errno.EPERM) for name in SAFEGUARDS]
PAGE_ROWS = {
    columns[1].strip("`"): columns
    for line in document.PAGE.read_text(encoding="utf-8").splitlines()
    if (columns := [column.strip() for column in line.split("|")])[1:2] and line.startswith("| `")
}
TOGETHER = [Case(tolerated(error), error) for error in ERRORS]


@pytest.fixture(scope="module")
def outcomes() -> dict[Case, Outcome]:
    """The outcome of each case, from one process."""
    cases = [*ALONE, *TOGETHER]
    return dict(zip(cases, run_cases(cases), strict=True))


@pytest.mark.parametrize("case", ALONE, ids=list(SAFEGUARDS))
def test_tools_run_and_the_safeguard_is_missing_if_a_call_is_refused(outcomes: dict[Case, Outcome], case: Case) -> None:
    outcome = outcomes[case]

    assert outcome.tools_run, outcome
    assert set(outcome.isolation["missing"]) == WITHOUT_KERNEL_LAYERS | SAFEGUARDS[case.refused[-1]]


@pytest.mark.parametrize("case", ALONE, ids=list(SAFEGUARDS))
def test_page_describes_the_outcome_of_a_refused_call(outcomes: dict[Case, Outcome], case: Case) -> None:
    error_column = 2 + ERRORS.index(case.error)

    assert PAGE_ROWS[case.refused[-1]][error_column] == document.cell(outcomes[case])


def test_page_lists_all_calls_and_names_those_without_which_no_tool_runs() -> None:
    fatal = {
        (name, error)
        for name, row in PAGE_ROWS.items()
        for error, cell in zip(ERRORS, row[2:], strict=False)
        if cell == "no tool runs"
    }

    assert set(PAGE_ROWS) == set(NAMES) - set(KERNEL_LAYERS)
    assert fatal == set(NEEDED)


@pytest.mark.parametrize("case", TOGETHER, ids=["ENOSYS", "EPERM"])
def test_tools_run_if_all_tolerated_calls_are_refused(outcomes: dict[Case, Outcome], case: Case) -> None:
    outcome = outcomes[case]

    assert outcome.tools_run, outcome
    assert outcome.isolation["layers"] == []
