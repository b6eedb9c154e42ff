"""The real runner handler lists and runs a tool although the machine refuses system calls, as Lambda may.

The runner has an unprivileged user, a read-only file system, 512 MB in ``/tmp``, no ``/dev/shm`` and Lambda's limits.
"""

import errno

import pytest

from tests.refused_calls.refused_calls import KERNEL_LAYERS, tolerated
from tests.refused_calls.runs import ERRORS, Case, Outcome, run_cases

pytestmark = pytest.mark.timeout(300)
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


@pytest.mark.parametrize("case", TOGETHER, ids=["ENOSYS", "EPERM"])
def test_tools_run_if_all_tolerated_calls_are_refused(outcomes: dict[Case, Outcome], case: Case) -> None:
    outcome = outcomes[case]

    assert outcome.tools_run, outcome
    assert outcome.isolation["layers"] == []
