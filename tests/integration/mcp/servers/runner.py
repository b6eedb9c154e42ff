"""A runner's process: starts servers as its arguments say, tells their pids, and waits to be told to go on."""

import os
import sys
from pathlib import Path

from satchel.adapters.mcp import processes

ENDLESS = "60"
DAEMON = f"""
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        time.sleep({ENDLESS})
    os._exit(0)
os.wait()
"""


def tell(*pids: int) -> None:
    print(*pids, flush=True)  # noqa: T201  (the test reads it)
    sys.stdin.readline()


def one_server() -> None:
    """The server is past its launcher when the pid is told."""
    server = processes.start(["/bin/sh", "-c", f"echo ready; exec sleep {ENDLESS}"], os.environ)
    if server.stdout and server.stdout.readline():
        tell(server.pid)


def a_dead_servers_daemon() -> None:
    """A living server with a daemon of its own, and one that died and left its daemon to the runner."""
    processes.become_subreaper()
    living = processes.start([sys.executable, "-S", "-c", f"{DAEMON}time.sleep({ENDLESS})"], os.environ)
    dead = processes.start([sys.executable, "-S", "-c", f"{DAEMON}os._exit(1)"], os.environ)
    daemons = [int(server.stdout.readline()) for server in (living, dead) if server.stdout]
    processes.wait_for_death(dead, 10)
    tell(living.pid, *daemons)
    processes.end(dead)
    tell(len(list(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())))
    processes.end(living)
    tell(0)


if __name__ == "__main__":
    {"one_server": one_server, "a_dead_servers_daemon": a_dead_servers_daemon}[sys.argv[1]]()
