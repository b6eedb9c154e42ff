"""All attacks through a running system, at either level: what got through, and what had changed outside."""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from satchel.domain.isolation import Level
from tests.attacks.arena import ENTRY, PLAIN, Arena, arena
from tests.e2e.person import Json, Person
from tests.e2e.system import ROOT, System, free_port, running_system, serve_command

TRYING = {
    "command": ["python", "main.py"],
    "cwd": str(ROOT / "tests/integration/sandbox/servers/trying"),
    "read_paths": [str(PLAIN)],
}
_WITHOUT = [sys.executable, str(ROOT / "tests/without_layers.py")]
_AT_ONCE = 40
"""Results may be long: then the model's view of them is cut, so that a few attacks are run at a time."""


@dataclass(frozen=True)
class Attacked:
    """What an attack says of itself, and what could be seen from outside when all were over."""

    outcomes: dict[str, Any]
    place: Arena

    @property
    def got_through(self) -> set[str]:
        """Return the names of the attacks that had their way, as they say."""
        return {name for name, (outcome, _) in self.outcomes.items() if outcome == "escaped"}

    @property
    def unseen(self) -> bool:
        """Tell whether nothing had changed outside, and nobody had knocked."""
        return self.place.look() == self.place.before and self.place.visitors() == []


@contextmanager
def walled_system(level: Level, config: Path, **secrets: str) -> Iterator[System]:
    """Run a system that knows its tools: behind all walls that this kernel holds, or without those of the kernel."""
    other = TRYING | {"env": {"TOKEN": "${OTHERS_TOKEN}"}}
    config.write_text(json.dumps({"attacker": ENTRY, "trying": TRYING, "other": other}))
    command = serve_command(free_port())
    settings = {"SATCHEL_MCP_CONFIG": str(config), "OTHERS_TOKEN": "", **secrets}
    with running_system(command if level == "kernel" else [*_WITHOUT, *command], settings=settings) as system:
        onlooker = Person(system.url, "onlooker@example.com")
        while any(server["status"] == "starting" for server in onlooker.call("GET", "/api/tools").json()["servers"]):
            time.sleep(0.1)
        yield system


@contextmanager
def place() -> Iterator[Arena]:
    """Bob's directory lies where a person's does; the other one anywhere."""
    top = Path(tempfile.mkdtemp(prefix="satchel-arena-"))
    bob = Path("/tmp") / f"{top.name}@example.com"
    try:
        with arena(top / "out", bob) as made:
            yield made
    finally:
        shutil.rmtree(top)
        shutil.rmtree(bob)


def call(person: Person, tool: str, session: str | None = None, **arguments: object) -> Json:
    """Have a tool called, and return its call."""
    (one,) = person.ask(session or person.session(), f"/{tool} {json.dumps(arguments)}")["tool_calls"]
    found: Json = one
    return found


def attack(person: Person, there: Arena, tool: str = "attack") -> Attacked:
    """Run all attacks as a person's tool."""
    names: Sequence[str] = call(person, "attacker.names", modules=[])["results"]
    ground = there.ground | {"mine": f"/tmp/{person.name}"}
    found: dict[str, Any] = {}
    for at in range(0, len(names), _AT_ONCE):
        called = call(person, f"attacker.{tool}", which=names[at : at + _AT_ONCE], ground=ground)
        assert not called["is_error"], called
        found |= called["results"]
    return Attacked(found, there)
