"""Pin what pyproject.toml and the servers ask for: one set of versions for development, the local run, every layer.

Versions with hashes and without index addresses; what is pinned stays unless ``--upgrade`` is given.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
UV = Path(sys.executable).with_name("uv")
_COMMON = (
    "--universal",
    "--python-version=3.11",
    "--generate-hashes",
    "--no-emit-index-url",
    "--no-header",
    "--no-annotate",
    "--quiet",
)


PROJECT = "pyproject.toml"
SERVERS = "functions/servers/requirements.in"
PEERS = ("mcpo", "lambda-adapter")
LOCAL = ("api", "dispatch", "runner", "think", "local")
# A function has its group's layer and no other, so each layer holds what every function needs as well.
LAYERS = {
    "functions": [],
    "api": ["--extra=api"],
    "dispatch": ["--extra=dispatch"],
    "think": ["--extra=think"],
    "runner": ["--extra=runner", SERVERS],
}


def pin(target: str, *what: str) -> None:
    """Pin what some files and extras ask for together."""
    command = [str(UV), "pip", "compile", "--output-file", target, *_COMMON, *what]
    subprocess.run(command, cwd=ROOT, check=True)  # noqa: S603  (our own words)


def main() -> None:
    """Pin the development set first; everything else takes its versions from there."""
    upgrade = [option for option in sys.argv[1:] if option == "--upgrade"]
    run = [PROJECT, SERVERS, *(f"--extra={name}" for name in LOCAL)]
    same = "--constraint=requirements/dev.txt"
    pin("requirements/uv.txt", "requirements/uv.in", *upgrade)
    pin("requirements/dev.txt", *run, "--extra=infra", "--group=dev", *upgrade)
    pin("requirements/run.txt", *run, same)
    for layer, sources in LAYERS.items():
        pin(f"layers/vendor/{layer}.txt", PROJECT, *sources, same)
    for peer in PEERS:  # each in an environment of its own: their versions are none of ours
        pin(f"requirements/bench-{peer}.txt", f"requirements/bench-{peer}.in", *upgrade)


if __name__ == "__main__":
    main()
