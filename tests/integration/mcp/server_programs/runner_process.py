"""Process of a runner: starts servers for a scenario, prints their pids, and waits for a line of input."""

import os
import sys
from pathlib import Path

from satchel.adapters.mcp import processes, server_exit

LIFETIME = "60"
DAEMON = f"""
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        time.sleep({LIFETIME})
    os._exit(0)
os.wait()
"""


def report(*pids: int) -> None:
    print(*pids, flush=True)  # noqa: T201  (the test reads it)
    sys.stdin.readline()


def one_server() -> None:
    """Report a server. It has left its launcher when it prints its first line."""
    server = processes.start(["/bin/sh", "-c", f"echo ready; exec sleep {LIFETIME}"], os.environ)
    if server.stdout and server.stdout.readline():
        report(server.pid)


def orphan_of_a_dead_server() -> None:
    """Report a running server with a daemon, and a server that died and left its daemon to the runner."""
    processes.become_subreaper()
    living = processes.start([sys.executable, "-S", "-c", f"{DAEMON}time.sleep({LIFETIME})"], os.environ)
    dead = processes.start([sys.executable, "-S", "-c", f"{DAEMON}os._exit(1)"], os.environ)
    daemons = [int(server.stdout.readline()) for server in (living, dead) if server.stdout]
    server_exit.wait_for_exit(dead, 10)
    report(living.pid, *daemons)
    processes.end(dead)
    report(len(list(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())))
    processes.end(living)
    report(0)


if __name__ == "__main__":
    {"one_server": one_server, "orphan_of_a_dead_server": orphan_of_a_dead_server}[sys.argv[1]]()
