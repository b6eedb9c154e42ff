"""Reads and writes ``docs/mutants.md``: the score of each module."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from tests.mutants.modules import ROOT

DOCUMENT = ROOT / "docs" / "mutants.md"
MIN_SCORE = 0.95
MAX_TIMEOUTS = 0.1

_HEAD = """\
# Mutation testing

Tests that only run the code prove little. `make mutants` changes the security-critical modules in small ways, one
change (mutant) at a time: it replaces comparisons, operators, constants and texts, removes arguments and forces
branches. For each mutant it runs the tests of the module. A mutant is killed if a test fails or if the tests do not
end in time; otherwise it survives.

```
make mutants                               # all modules, as many at a time as there are CPUs
make mutants MUTANTS=file_names            # the modules whose paths contain this text
make mutants MUTANTS=--write               # all modules, and write this page
make mutants MUTANTS="file_names --write"  # these modules, and write their lines of this page
```

The run fails if less than 95 % of the mutants are killed. Every survivor is listed in `tests/mutants/modules.toml` with
its reason: most are equivalent, which means that the mutant behaves like the original. The run also fails if a survivor
is not listed or if a listed one no longer survives. It prints each of these in the format of the list. It fails, too,
if more than 10 % of a module's mutants are killed by time: so many mutants do not loop, but tests that wait for
something that never comes would kill all of them.

[mutmut](https://github.com/boxed/mutmut) makes the mutants. It changes functions, but neither decorated functions nor
constants of modules. So the security-critical modules have their decisions in plain functions, and tests name the
values of their constants. Only the module's own tests run for its mutants: those of the mirrored path in `tests/unit`,
and those that the list adds.

| module | mutants | killed | of these by time | listed survivors | score |
|---|---|---|---|---|---|
"""

_LINE = re.compile(r"\| `(.+)` \| (\d+) \| (\d+) \| (\d+) \| \d+ \| [\d.]+ % \|")


class Counts(NamedTuple):
    """The number of a module's mutants, of those that were killed, and of those that were killed by time."""

    total: int
    killed: int
    timeouts: int


def render(modules: Mapping[str, Counts]) -> str:
    """Return the page with the numbers of these modules (by path)."""
    everything = Counts(*(sum(column) for column in zip(*modules.values(), strict=True)))
    lines = {f"`{path}`": counts for path, counts in modules.items()} | {"all": everything}
    return _HEAD + "".join(
        f"| {name} | {total} | {killed} | {timeouts} | {total - killed} | {score(killed, total)} |\n"
        for name, (total, killed, timeouts) in lines.items()
    )


def parse(page: str) -> dict[str, Counts]:
    """Return the numbers of the modules on a page."""
    return {path: Counts(*map(int, numbers)) for path, *numbers in _LINE.findall(page)}


def score(killed: int, total: int) -> str:
    """Return the share of killed mutants in percent, rounded down to one decimal."""
    return f"{killed * 1000 // total / 10} %"
