"""Writes ``docs/mutants.md``: the score of each module."""

from collections.abc import Sequence

from tests.mutants.modules import ROOT
from tests.mutants.run import Result

DOCUMENT = ROOT / "docs" / "mutants.md"
MIN_SCORE = 0.95

_HEAD = """\
# Mutation testing

Tests that only run the code prove little. `make mutants` changes the security-critical modules in small ways, one
change (mutant) at a time: it replaces comparisons, operators, constants and texts, removes arguments and forces
branches. For each mutant it runs the tests of the module. A mutant is killed if a test fails or if the tests do not
end in time; otherwise it survives.

```
make mutants                          # all modules, as many at a time as there are CPUs
make mutants MUTANTS=file_names       # the modules whose paths contain this text
make mutants MUTANTS=--write          # all modules, and write this page
```

The run fails if less than 95 % of all mutants are killed. Every survivor is listed in `tests/mutants/modules.toml` with
its reason: most are equivalent, which means that the mutant behaves like the original. The run also fails if a survivor
is not listed or if a listed one no longer survives. It prints each of these in the format of the list.

[mutmut](https://github.com/boxed/mutmut) makes the mutants. It changes functions, but neither decorated functions nor
constants of modules. So the security-critical modules have their decisions in plain functions, and tests name the
values of their constants. Only the module's own tests run for its mutants: those of the mirrored path in `tests/unit`,
and those that the list adds.

| module | mutants | killed | listed survivors | score |
|---|---|---|---|---|
"""


def render(results: Sequence[Result]) -> str:
    """Return the page."""
    counts = [(f"`{each.module.path}`", each.total, each.killed) for each in results]
    counts.append(("all", sum(each.total for each in results), sum(each.killed for each in results)))
    return _HEAD + "".join(
        f"| {name} | {total} | {killed} | {total - killed} | {score(killed, total)} |\n"
        for name, total, killed in counts
    )


def score(killed: int, total: int) -> str:
    """Return the share of killed mutants in percent, rounded down to one decimal."""
    return f"{killed * 1000 // total / 10} %"
