"""Pin the requirements of pyproject.toml and the servers to one set of versions for development, local run and layers.

The output has hashes and no index URLs. Existing pins are kept unless ``--upgrade`` is given.
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
# The default requirements of servers, and the servers with their own.
SERVERS = "functions/servers/requirements.in"
SERVERS_WITH_REQUIREMENTS = (
    "functions/servers/documents/requirements.in",
    "functions/servers/report/requirements.in",
)
PEERS = ("mcpo", "lambda-adapter")
LOCAL = ("api", "bridge", "dispatch", "runner", "think", "local")
# A function uses only its group's layer, so each layer also contains the packages that all functions need.
LAYERS = {
    "functions": [],
    "api": ["--extra=api"],
    "bridge": ["--extra=bridge"],
    "dispatch": ["--extra=dispatch"],
    "think": ["--extra=think"],
    "runner": ["--extra=runner"],
}
# The Lambda runtime provides these; dispatch needs newer ones (Invoke's TenantId).
RUNTIME_PACKAGES = ("boto3", "botocore", "jmespath", "s3transfer")
LAYER_WITH_BOTO3 = "dispatch"
# Dependencies that the code in these layers never imports.
UNUSED = {
    # the bridge is a client of the API, and imports nothing of satchel
    "bridge": ("aws-lambda-powertools", "pybase64", "pyjwt", "python-dateutil", "six", "urllib3"),
    # pydantic-ai uses them only for embeddings and speech; they have no wheels for Amazon Linux 2
    "think": ("tiktoken", "regex"),
    # the server half of the MCP SDK (satchel/adapters/mcp/import_stub.py)
    "runner": (
        *("cffi", "click", "cryptography", "pycparser"),
        *("python-multipart", "sse-starlette", "starlette", "uvicorn"),
    ),
    # matplotlib uses it for PDF and PostScript only
    "functions/servers/report/requirements": ("fonttools",),
}


def pin(target: str, *arguments: str) -> None:
    """Write the pins for these files and extras to ``target``."""
    command = [str(UV), "pip", "compile", "--output-file", target, *_COMMON, *arguments]
    subprocess.run(command, cwd=ROOT, check=True)  # noqa: S603  (fixed arguments)


def exclude(names: Iterable[str]) -> list[str]:
    """Return the options that omit these packages from the output."""
    return [f"--no-emit-package={name}" for name in names]


def main() -> None:
    """Pin the development set first; all other sets take their versions from it."""
    upgrade = [option for option in sys.argv[1:] if option == "--upgrade"]
    run = [PROJECT, SERVERS, *SERVERS_WITH_REQUIREMENTS, *(f"--extra={name}" for name in LOCAL)]
    same_versions = "--constraint=requirements/dev.txt"
    pin("requirements/uv.txt", "requirements/uv.in", *upgrade)
    pin("requirements/dev.txt", *run, "--extra=infra", "--group=dev", *upgrade)
    # Only its policy evaluator is used, which imports nothing; its requirements conflict with those above.
    pin("requirements/policy-evaluator.txt", "requirements/policy-evaluator.in", "--no-deps", *upgrade)
    # What the client of clients/python needs, in an environment without anything else.
    pin("requirements/client.txt", "clients/python/pyproject.toml", same_versions)
    # Published servers that tests call, in environments of their own, as package managers install them.
    pin("requirements/published-servers.txt", "requirements/published-servers.in", *upgrade)
    pin("requirements/published-servers-old.txt", "requirements/published-servers-old.in", *upgrade)
    pin("requirements/published-atlas.txt", "requirements/published-atlas.in", *upgrade)
    # A generator of clients, whose requirements differ from those above.
    pin("requirements/api-clients.txt", "requirements/api-clients.in", *upgrade)
    # The whole of MiniStack, the AWS CLI and the runtime's boto3, in an environment of their own.
    same_ministack = "--constraint=requirements/policy-evaluator.txt"
    pin("requirements/witness.txt", "requirements/witness.in", same_ministack, *upgrade)
    # The runtime has its own boto3, which is older than the project's.
    pin("requirements/lambda-runtime.txt", "requirements/lambda-runtime.in", *upgrade)
    # Installed beside the development set, for one target that runs tests with it.
    pin("requirements/oldest-boto3.txt", "requirements/oldest-boto3.in")
    pin("requirements/run.txt", *run, same_versions)
    for layer, sources in LAYERS.items():
        excluded = [*UNUSED.get(layer, ()), *(RUNTIME_PACKAGES if layer != LAYER_WITH_BOTO3 else ())]
        pin(f"layers/vendor/{layer}.txt", PROJECT, *sources, same_versions, *exclude(excluded))
    pin("layers/vendor/server.txt", SERVERS, same_versions)
    for requirements in SERVERS_WITH_REQUIREMENTS:
        name = requirements.removesuffix(".in")
        pin(f"{name}.txt", requirements, same_versions, *exclude(UNUSED.get(name, ())))
    for peer in PEERS:  # each has its own environment, with versions independent of the project
        pin(f"requirements/bench-{peer}.txt", f"requirements/bench-{peer}.in", *upgrade)


if __name__ == "__main__":
    main()
