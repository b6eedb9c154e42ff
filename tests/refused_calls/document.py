"""``python -m tests.refused_calls.document``: write docs/system-calls.md (takes some minutes).

Each row of its table is a run of the runner's real handler without one system call. A test repeats the rows that matter
most, and compares them with the page.
"""

import errno
from collections.abc import Iterator, Mapping, Sequence

from tests.refused_calls.refused_calls import KERNEL_LAYERS, NAMES, NEEDED
from tests.refused_calls.runs import ERRORS, ROOT, Case, Outcome, run_cases

PAGE = ROOT / "docs" / "system-calls.md"
_HEAD = """\
# Refused system calls

Lambda and many containers filter system calls, and do not say which. So a runner must not depend on calls that it can
do without. This page lists the calls that a runner, its sandbox launcher and a Python server with a tool make, and
what happens if the machine refuses one of them with ENOSYS or EPERM. In each run, the runner's real handler lists a
tool and calls it, as an unprivileged user with a read-only file system, 512 MB in `/tmp`, no `/dev/shm`, 1024 files
and 1024 processes. The tool runs another program and returns a file.

All runs are without the calls of the kernel layers
({layers}), as on Lambda. So the isolation level is `process`, and
`landlock`, `seccomp` and `mounts` are missing; the table names what is missing besides. The parts `PR_…` are options
of `prctl`. [What a tool can access](security.md) explains the safeguards. `.venv/bin/python -m
tests.refused_calls.document` runs all cases and writes this page again. A test refuses all calls with "tools run" at
once, with either error.

| refused | ENOSYS | EPERM |
|---|---|---|
"""


def cases_of(names: Sequence[str]) -> list[Case]:
    """Return the two runs for each name, one for each error."""
    return [Case((*KERNEL_LAYERS, name), error) for name in names for error in ERRORS]


def cell(outcome: Outcome) -> str:
    """Return the description of an outcome."""
    if not outcome.tools_run:
        return "no tool runs"
    missing = sorted(set(outcome.isolation["missing"]) - {"landlock", "seccomp", "mounts"})
    return f"tools run without {', '.join(f'`{name}`' for name in missing)}" if missing else "tools run"


def row(name: str, cells: Mapping[Case, str]) -> str:
    """Return the line of the table for a call."""
    return f"| `{name}` | {' | '.join(cells[case] for case in cases_of([name]))} |"


def _page() -> Iterator[str]:
    names = [name for name in NAMES if name not in KERNEL_LAYERS]
    cases = cases_of(names)
    cells = {case: cell(outcome) for case, outcome in zip(cases, run_cases(cases), strict=True)}
    yield _HEAD.format(layers=", ".join(f"`{name}`" for name in KERNEL_LAYERS)).rstrip()
    yield from (row(name, cells) for name in names)
    yield "\nCalls without which no tool runs:\n\n| call | errors | reason |\n|---|---|---|"
    for name, reason in dict.fromkeys((name, reason) for (name, _), reason in NEEDED.items()):
        errors = ", ".join(errno.errorcode[error] for error in ERRORS if (name, error) in NEEDED)
        yield f"| `{name}` | {errors} | {reason} |"


if __name__ == "__main__":
    PAGE.write_text("\n".join(_page()) + "\n", encoding="utf-8")
