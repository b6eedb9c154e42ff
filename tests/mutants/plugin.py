"""A pytest plugin for the processes in which mutmut runs the tests of mutants.

It registers a profile for property tests that skips shrinking: only the verdict of a mutant matters. After a fork, it
forgets the threads of ``side_by_side``: the new process does not have them. Without this, each test that uses them
would wait until it is stopped, and its mutants would count as killed.
"""

import os
import sys

from hypothesis import HealthCheck, Phase, settings

settings.register_profile(
    "mutants",
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def _forget_threads() -> None:
    if module := sys.modules.get("satchel.services.side_by_side"):
        module._threads.cache_clear()  # noqa: SLF001  (the threads of the process that was forked)


os.register_at_fork(after_in_child=_forget_threads)
