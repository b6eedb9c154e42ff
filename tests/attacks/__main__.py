"""``python -m tests.attacks``: run all attacks through the running system at each level, and print what got through."""

import os
import tempfile
from pathlib import Path
from typing import get_args

from satchel.domain.isolation import Level
from tests.attacks.running import attack, place, walled_system
from tests.e2e.person import Person

if __name__ == "__main__":
    for level in get_args(Level):
        with tempfile.TemporaryDirectory() as folder, walled_system(level, Path(folder, "mcp.json")) as system:
            mallory = Person(system.url, f"m{os.getpid()}@example.com")
            with place() as there:
                found = attack(mallory, there)
                held = mallory.call("GET", "/api/config").json()["isolation_level"]
                print(f"asked for {level}, held {held}: {len(found.got_through)} of {len(found.outcomes)}")  # noqa: T201
                print(*sorted(found.got_through))  # noqa: T201
