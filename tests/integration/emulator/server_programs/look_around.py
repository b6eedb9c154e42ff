"""A server whose tool reports what its process contains. Also a module for the test's handler."""

import gc
import os
import re
import sys
from pathlib import Path

from fastmcp import FastMCP

mcp = FastMCP(name="look_around")


def find_in_memory(pattern: bytes) -> list[str]:
    """Return all matches of the pattern in the writable memory of this process."""
    found: set[str] = set()
    with Path("/proc/self/mem").open("rb", buffering=0) as memory:
        for line in Path("/proc/self/maps").read_text().splitlines():
            addresses, permissions, *_ = line.split()
            start, end = (int(address, 16) for address in addresses.split("-"))
            if permissions.startswith("rw"):
                try:
                    memory.seek(start)
                    content = memory.read(end - start)
                except OSError:  # a region that only the kernel reads
                    continue
                found.update(match.decode() for match in re.findall(pattern, content))
    return sorted(found)


@mcp.tool
def look(pattern: str) -> dict[str, object]:
    """Return this process's ids, modules, descriptors, variables and arguments, and the pattern's matches in memory."""
    return {
        "pid": os.getpid(),
        "parent": os.getppid(),
        "session": os.getsid(0),
        "modules": sorted(sys.modules),
        "descriptors": sorted(
            str(each.readlink()) for each in Path("/proc/self/fd").iterdir() if os.path.lexists(each)
        ),
        "variables": sorted(os.environ),
        "path": sys.path,
        "arguments": sys.argv,
        "gc": gc.get_threshold(),
        "flags": [sys.dont_write_bytecode, sys.flags.no_user_site, sys.flags.utf8_mode],
        "found": find_in_memory(pattern.encode()),
    }


@mcp.tool
def leave(code: int) -> None:
    """End the server."""
    os._exit(code)


if __name__ == "__main__":
    mcp.run(show_banner=False, log_level="WARNING")
