"""Runs mutmut for one module and reads its results.

mutmut mutates the functions of a module. It changes neither module-level constants nor decorated functions.
"""

import configparser
import contextlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.stats import status_by_exit_code
from mutmut.utils.format_utils import orig_function_and_class_names_from_key

from tests.mutants.modules import ROOT, Module, Mutant, squeeze

_MUTMUT = Path(sys.executable).with_name("mutmut")
_KILLED, _TIMEOUT, _SURVIVED, _NO_TESTS = "killed", "timeout", "survived", "no tests"
_SETTINGS = {
    "source_paths": "src/satchel",
    "pytest_add_cli_args": ["-p", "no:cacheprovider", "-p", "tests.mutants.plugin", "--hypothesis-profile=mutants"],
    # A mutant that never ends is stopped after 15 times (the time of its tests + this number of seconds).
    "timeout_constant": "4",
    "use_git_change_detection": "false",
}


@dataclass(frozen=True)
class Result:
    """The number of a module's mutants, the number that the tests noticed, and the mutants that survived.

    ``timeouts`` are the killed mutants whose tests did not end in time.
    """

    module: Module
    total: int
    killed: int
    timeouts: int
    survivors: frozenset[Mutant]

    @property
    def unlisted(self) -> list[Mutant]:
        """Return the survivors that the list does not accept."""
        return sorted(self.survivors - self.module.survivors.keys())

    @property
    def stale(self) -> list[Mutant]:
        """Return the accepted survivors that did not survive or do not exist."""
        return sorted(self.module.survivors.keys() - self.survivors)


def run_mutmut(module: Module, folder: Path) -> None:
    """Run all mutants of a module in an empty folder. Raise RuntimeError with mutmut's output if it fails.

    mutmut derives module names from paths and knows only ``src`` as a root, so the folder has a link of this name.
    """
    (folder / "src").symlink_to(ROOT / "layers" / "core" / "python")
    (folder / "tests").symlink_to(ROOT / "tests")
    (folder / "mutants").mkdir()  # mutmut copies the modules and tests into this folder
    for path in ("infra", "local", "layers/core/python/mcp_config"):
        (folder / "mutants" / Path(path).name).symlink_to(ROOT / path)
    (folder / "pyproject.toml").symlink_to(ROOT / "pyproject.toml")  # the settings of pytest
    settings = _SETTINGS | {
        "only_mutate": f"src/satchel/{module.path}",
        "pytest_add_cli_args_test_selection": list(module.tests),
    }
    config = configparser.ConfigParser()
    config["mutmut"] = {name: value if isinstance(value, str) else "\n".join(value) for name, value in settings.items()}
    with (folder / "setup.cfg").open("w") as file:
        config.write(file)
    with (folder / "output.txt").open("w+") as output:  # a pipe would stay open as long as a process of a test runs
        ended = subprocess.run(  # noqa: S603  (fixed arguments)
            [_MUTMUT, "run", "--max-children", "1"],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(folder / "mutants")},
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
        if ended.returncode != 0:
            output.seek(0)
            raise RuntimeError(f"mutmut failed for {module.path}:\n{output.read()[-4000:]}")


def read_result(module: Module, folder: Path) -> Result:
    """Return the result of ``run_mutmut``. Raise RuntimeError if a mutant has no verdict."""
    path = Path("src/satchel", module.path)
    exit_codes = json.loads((folder / "mutants" / f"{path}.meta").read_text())["exit_code_by_key"]
    verdicts = {name: status_by_exit_code[code] for name, code in exit_codes.items()}
    if odd := {name: each for name, each in verdicts.items() if each not in {_KILLED, _TIMEOUT, _SURVIVED, _NO_TESTS}}:
        raise RuntimeError(f"mutants of {module.path} without a verdict: {odd}")
    with contextlib.chdir(folder):
        survivors = [_mutant(name, path) for name, verdict in verdicts.items() if verdict in {_SURVIVED, _NO_TESTS}]
    timeouts = sum(verdict == _TIMEOUT for verdict in verdicts.values())
    return Result(module, len(verdicts), len(verdicts) - len(survivors), timeouts, frozenset(survivors))


def _mutant(name: str, path: Path) -> Mutant:
    function, class_name = orig_function_and_class_names_from_key(name)
    lines = get_diff_for_mutant(name, path=path).splitlines()[2:]  # without the two lines of file names
    removed, inserted = (" ".join(line[1:] for line in lines if line.startswith(sign)) for sign in "-+")
    return Mutant(f"{class_name}.{function}" if class_name else function, squeeze(removed), squeeze(inserted))
