"""``python -m tests.refused_calls.document``: write docs/system-calls.md (takes some minutes).

Each row of its table is a run of the runner's real handler without one system call. A test repeats the rows that matter
most, and compares them with the page.
"""

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
tests.refused_calls.document` runs all cases and writes this page again. A test refuses all calls of the first table at
once, with either error.
"""
_NEEDED_HEAD = """
## Calls that no runner can do without

glibc, Python, OpenSSL and urllib3 make these calls, or the sandbox could not end a server. A machine that refuses one
of them runs neither Python nor boto3, so no fallback helps.

| refused | ENOSYS | EPERM | reason |
|---|---|---|---|"""


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
    yield "\n| refused | ENOSYS | EPERM |\n|---|---|---|"
    needed = dict.fromkeys(name for name, _ in NEEDED)
    yield from (row(name, cells) for name in names if name not in needed)
    yield _NEEDED_HEAD
    yield from (f"{row(name, cells)} {_reason(name)} |" for name in needed)


def _reason(name: str) -> str:
    return next(reason for (needed, _), reason in NEEDED.items() if needed == name)


if __name__ == "__main__":
    PAGE.write_text("\n".join(_page()) + "\n", encoding="utf-8")
