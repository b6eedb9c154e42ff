"""What importing a function takes, in CPU time, as multiples of boto3 with two clients.

Each side is a fresh process with the packages of the function's layers and no others; the warm-up pair compiles them.
A function makes its clients for its first event, so they are not among its figures; the baseline's are.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.harness import Benchmark, Limit, Pair
from tests.cold_start import FUNCTIONS, Layers, lay_out

BASELINE = 'import boto3; boto3.client("s3"); boto3.client("dynamodb")'
MOST = {"api": 2.0, "dispatch": 1.4, "normalize": 1.4, "run_tool": 3.0, "think": 2.5}
# What a function imports when it is first used, since it depends on the settings: here those of a model of Bedrock.
LATER = {
    "think": "import satchel.adapters.llm.import_stub, satchel.adapters.llm.streaming_model;"
    " import satchel.adapters.llm.providers.bedrock",
}
DOMINATED = {
    "api": "FastAPI and the routes' models",
    "dispatch": "boto3 and jsonschema",
    "run_tool": "the MCP SDK's types and httpx2",
    "think": "pydantic_ai for a model of Bedrock, imported with it",
}
_BOTO3 = "boto3 and pydantic"


@contextmanager
def setting(function: str) -> Iterator[Pair]:
    """Both sides have the packages of the function's layer, and share what the warm-up pair compiles."""
    with TemporaryDirectory(prefix="satchel-bench-") as folder:
        layers = lay_out(function, Path(folder))
        yield Pair(*(partial(_cpu_ms, layers, what) for what in (_imports(function), BASELINE)))


def _imports(function: str) -> str:
    return "; ".join(["import handler", *([LATER[function]] if function in LATER else [])])


def _cpu_ms(layers: Layers, statement: str) -> float:
    return layers.run(statement).cpu_ms


BENCHMARKS = [
    Benchmark(
        name=f"import-{name}",
        measures=f"CPU time of importing `functions/{name}` (most of it: {DOMINATED.get(name, _BOTO3)})",
        against=f"`{BASELINE}`",
        unit="ms of CPU",
        setting=partial(setting, name),
        runs=11 if name in MOST else 3,
        limit=Limit("ratio", MOST[name]) if name in MOST else None,
    )
    for name in FUNCTIONS
]
