"""Pin what pyproject.toml and the servers ask for: one set of versions for development, the local run, every layer.

Versions with hashes and without index addresses; what is pinned stays unless ``--upgrade`` is given.
"""

import subprocess
import sys
from collections.abc import Iterable
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
# What every server needs that does not say otherwise, and the servers that have requirements of their own.
SERVERS = "functions/servers/requirements.in"
OF_SERVERS = ("functions/servers/report/requirements.in",)
PEERS = ("mcpo", "lambda-adapter")
LOCAL = ("api", "dispatch", "runner", "think", "local")
# A function has its group's layer and no other, so each layer holds what every function needs as well.
LAYERS = {
    "functions": [],
    "api": ["--extra=api"],
    "dispatch": ["--extra=dispatch"],
    "think": ["--extra=think"],
    "runner": ["--extra=runner"],
}
# Lambda's runtime brings these along; dispatch needs newer ones (Invoke's TenantId).
RUNTIME = ("boto3", "botocore", "jmespath", "s3transfer")
NEWER_THAN_RUNTIME = "dispatch"
# What nothing imports in the places where these go.
UNUSED = {
    # pydantic-ai counts tokens with them for embeddings and speech alone; they have no wheels for Amazon Linux 2
    "think": ("tiktoken", "regex"),
    # the server half of the MCP SDK (satchel/adapters/lean_mcp.py)
    "runner": (
        *("cffi", "click", "cryptography", "pycparser"),
        *("python-multipart", "sse-starlette", "starlette", "uvicorn"),
    ),
    # matplotlib writes PDF and PostScript with it
    "functions/servers/report/requirements": ("fonttools",),
}


def pin(target: str, *what: str) -> None:
    """Pin what some files and extras ask for together."""
    command = [str(UV), "pip", "compile", "--output-file", target, *_COMMON, *what]
    subprocess.run(command, cwd=ROOT, check=True)  # noqa: S603  (our own words)


def without(names: Iterable[str]) -> list[str]:
    """Leave packages out of what is written."""
    return [f"--no-emit-package={name}" for name in names]


def main() -> None:
    """Pin the development set first; everything else takes its versions from there."""
    upgrade = [option for option in sys.argv[1:] if option == "--upgrade"]
    run = [PROJECT, SERVERS, *OF_SERVERS, *(f"--extra={name}" for name in LOCAL)]
    same = "--constraint=requirements/dev.txt"
    pin("requirements/uv.txt", "requirements/uv.in", *upgrade)
    pin("requirements/dev.txt", *run, "--extra=infra", "--group=dev", *upgrade)
    pin("requirements/run.txt", *run, same)
    for layer, sources in LAYERS.items():
        left_out = [*UNUSED.get(layer, ()), *(RUNTIME if layer != NEWER_THAN_RUNTIME else ())]
        pin(f"layers/vendor/{layer}.txt", PROJECT, *sources, same, *without(left_out))
    pin("layers/vendor/server.txt", SERVERS, same)
    for requirements in OF_SERVERS:
        name = requirements.removesuffix(".in")
        pin(f"{name}.txt", requirements, same, *without(UNUSED.get(name, ())))
    for peer in PEERS:  # each in an environment of its own: their versions are none of ours
        pin(f"requirements/bench-{peer}.txt", f"requirements/bench-{peer}.in", *upgrade)


if __name__ == "__main__":
    main()
