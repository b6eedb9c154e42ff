"""CPU time for importing each function, as a multiple of boto3 with two clients.

Each side is a new process with only the packages of the function's layers; the warm-up compiles them to bytecode.
A function creates its clients at its first event, so its figure does not include them. The baseline's figure does.
It imports the services of its use cases at the first event too, but its figure includes these imports.
"""

import inspect
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from satchel.use_cases import UseCases
from tests.bench.harness import Benchmark, Comparison, Limit
from tests.cold_start import FUNCTIONS, ROOT, FunctionCode, link_packages

BASELINE = 'import boto3; boto3.client("s3"); boto3.client("dynamodb")'
MAX_RATIO = {"api": 2.0, "dispatch": 1.4, "run_tool": 3.0, "think": 2.5}
# Imports at the first event, which depend on the settings: here those for a model of Bedrock.
LAZY_IMPORTS = {
    "think": "import satchel.adapters.llm.import_stub, satchel.adapters.llm.streaming_model;"
    " import satchel.adapters.llm.providers.bedrock",
}
LARGEST_IMPORTS = {
    "api": "FastAPI and the routes' models",
    "dispatch": "boto3 and jsonschema",
    "run_tool": "the MCP SDK's types and httpx2",
    "think": "pydantic_ai with a model of Bedrock",
}
_DEFAULT_LARGEST = "boto3 and pydantic"


@contextmanager
def setup(function: str) -> Iterator[Comparison]:
    """Give both sides the packages of the function's layer and the bytecode that the warm-up compiles."""
    with TemporaryDirectory(prefix="satchel-bench-") as folder:
        code = link_packages(function, Path(folder))
        yield Comparison(*(partial(_cpu_ms, code, statement) for statement in (_imports(function), BASELINE)))


def _imports(function: str) -> str:
    handler = (ROOT / "functions" / function / "handler.py").read_text("utf-8")
    services = {module for name in re.findall(r"use_cases\(\)\.(\w+)", handler) for module in _services(name)}
    lazy = [f"import {module}" for module in sorted(services)]
    return "; ".join(["import handler", *lazy, *([LAZY_IMPORTS[function]] if function in LAZY_IMPORTS else [])])


def _services(use_case: str) -> Iterator[str]:
    """Yield the service modules that the use case and the use cases it depends on import when they are created."""
    create = getattr(vars(UseCases).get(use_case), "func", None)
    if create is None:
        return
    source = inspect.getsource(create)
    yield from re.findall(r"from (satchel\.services\.[\w.]+) import", source)
    for name in re.findall(r"\bself\.(\w+)", source):
        yield from _services(name)


def _cpu_ms(code: FunctionCode, statement: str) -> float:
    return code.run(statement).cpu_ms


BENCHMARKS = [
    Benchmark(
        name=f"import-{name}",
        measured=f"CPU time of importing `functions/{name}` (mostly {LARGEST_IMPORTS.get(name, _DEFAULT_LARGEST)})",
        baseline=f"`{BASELINE}`",
        unit="ms of CPU",
        setup=partial(setup, name),
        runs=11 if name in MAX_RATIO else 3,
        limit=Limit("ratio", MAX_RATIO[name]) if name in MAX_RATIO else None,
    )
    for name in FUNCTIONS
]
