"""``python -m tests.kills [--times N] [--seed N]``: kill the server N times while users work, and check each restart.

Prints a line for each kill with its seed. Exits with 1 if anything that was acknowledged is lost, changed or doubled.
"""

import argparse
import random
import sys
import tempfile
import threading
import time
from pathlib import Path

from tests.e2e.system_process import ROOT, free_port, running_system, serve_command
from tests.e2e.user_client import run_user
from tests.kills.users import BusyUser

USERS = 3
MAX_SECONDS = 4.0
CONFIG = ROOT / "tests/e2e/tool_servers/kills.json"


def main(arguments: list[str]) -> int:
    """Run the kills. Return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.kills")
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))  # noqa: S311  (not for security)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="satchel-kills-") as folder:
        problems = run(Path(folder), options.times, options.seed)
    sys.stdout.write(f"{options.times} kills, {len(problems)} problems\n" + "".join(f"{each}\n" for each in problems))
    return 1 if problems else 0


def run(folder: Path, times: int, seed: int) -> list[str]:
    """Kill the server this many times, with data in ``folder``. Return a line for each problem."""
    settings = {"SATCHEL_DATA": str(folder), "SATCHEL_MCP_CONFIG": str(CONFIG)}
    users = [BusyUser(run_user(f"user{number}"), random.Random(f"{seed}-{number}")) for number in range(USERS)]  # noqa: S311
    problems: list[str] = []
    port = free_port()  # the same for all starts, because shared links contain it
    for number in range(times + 1):
        seconds = random.Random(f"{seed}/{number}").uniform(0.05, MAX_SECONDS)  # noqa: S311  (not for security)
        with running_system(serve_command(port), settings=settings) as system:
            found = [
                f"seed {seed}, kill {number}, {user.name}: {each}" for user in users for each in user.check(system.url)
            ]
            problems += found
            if number == times:
                break
            stop = threading.Event()
            threads = [threading.Thread(target=user.work, args=(system.url, stop)) for user in users]
            for thread in threads:
                thread.start()
            time.sleep(seconds)
            system.kill()
            stop.set()
            for thread in threads:
                thread.join()
        sent = sum(len(user.expected.messages) + len(user.expected.files) for user in users)
        sys.stdout.write(
            f"seed {seed}, kill {number + 1} after {seconds:.2f} s: start {system.ready_seconds:.1f} s, "
            f"{sent} messages and files, {len(found)} problems\n" + "".join(f"  {each}\n" for each in found)
        )
        sys.stdout.flush()
    return problems


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
