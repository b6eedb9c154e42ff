"""``python -m tests.attacks``: run all attacks through the running system at each level, and print what succeeds."""

import os
import tempfile
from pathlib import Path
from typing import get_args

from satchel.domain.isolation import Level
from tests.attacks.attack_run import attack_target, run_attacks, sandboxed_system
from tests.e2e.user_client import UserClient

if __name__ == "__main__":
    for level in get_args(Level):
        with tempfile.TemporaryDirectory() as folder, sandboxed_system(level, Path(folder, "mcp.json")) as system:
            mallory = UserClient(system.url, f"m{os.getpid()}@example.com")
            with attack_target() as target:
                report = run_attacks(mallory, target)
                actual = mallory.isolation_level()
                counts = f"{len(report.succeeded)} of {len(report.outcomes)} succeeded"
                print(f"requested {level}, actual {actual}: {counts}")  # noqa: T201  (the output of this program)
                print(*sorted(report.succeeded))  # noqa: T201  (the same)
