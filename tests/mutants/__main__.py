"""``python -m tests.mutants [MODULE ...] [--write]``: test modules whose paths contain ``MODULE``, or all.

Fails if a survivor is not listed, if a listed one does not survive, if less than 95 % of the mutants were killed, or if
more than 10 % of a module's mutants were killed by time. ``--write`` writes the scores of the tested modules into
``docs/mutants.md``.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from tests.mutants.document import DOCUMENT, MAX_TIMEOUTS, MIN_SCORE, Counts, parse, render, score
from tests.mutants.modules import Module, read_modules
from tests.mutants.run import Result, read_result, run_mutmut


def main(arguments: list[str]) -> int:
    """Run the program and return its exit code."""
    names = [argument for argument in arguments if not argument.startswith("--")]
    modules = [module for module in read_modules() if not names or any(name in module.path for name in names)]
    results = run(modules)
    total, killed = sum(result.total for result in results), sum(result.killed for result in results)
    print(f"{killed} of {total} mutants killed: {score(killed, total)}")  # noqa: T201  (the output of this program)
    if len(results) < len(modules) or killed < MIN_SCORE * total:
        return 1
    if "--write" in arguments:
        new = {each.module.path: Counts(each.total, each.killed, each.timeouts) for each in results}
        counts = parse(DOCUMENT.read_text("utf-8")) | new
        listed = {module.path: counts[module.path] for module in read_modules() if module.path in counts}
        DOCUMENT.write_text(render(listed), encoding="utf-8")
    return int(any(True for result in results for _ in problems(result)))


def run(modules: list[Module]) -> list[Result]:
    """Test the modules, one per CPU at a time, the longest first. Print and return the results; print failures."""
    results = {}
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(os.cpu_count()) as threads:
        pending = {}
        for number, module in enumerate(sorted(modules, key=lambda each: -each.source.stat().st_size)):
            folder = Path(temporary, str(number))
            folder.mkdir()
            pending[threads.submit(run_mutmut, module, folder)] = (module, folder)
        for done in as_completed(pending):
            module, folder = pending[done]
            try:
                done.result()
                result = results[module.path] = read_result(module, folder)
            except RuntimeError as error:
                lines = [str(error)]
            else:
                by_time = f", {result.timeouts} of them by time" if result.timeouts else ""
                lines = [f"{module.path}: {result.killed} of {result.total} killed{by_time}", *problems(result)]
            print(*lines, sep="\n", flush=True)  # noqa: T201  (the same)
    return [results[module.path] for module in modules if module.path in results]


def problems(result: Result) -> Iterator[str]:
    """Yield survivors that are not listed, and listed mutants that do not survive, in the format of the list.

    Also yield a problem if the tests of many mutants did not end in time.
    """
    if result.timeouts > MAX_TIMEOUTS * result.total:
        yield "\ntoo many mutants are killed by time: see whether the tests wait for something that never comes"
    for mutant in result.unlisted:
        yield f"\nsurvives, but is not listed:\n{mutant}"
    for mutant in result.stale:
        yield f"\nis listed, but does not survive:\n{mutant}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
