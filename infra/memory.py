"""``python -m infra.memory``: write the memory of each function, with the reasons, into docs/deploy.md.

The memory of a Lambda function decides its share of a processor core. ``processor_time.json`` has the measured
processor time of each function (``python -m tests.infra.deployment.processor_time`` measures it again).
"""

from collections.abc import Iterator

from infra.costs import read_prices
from infra.limits import FULL_CORE_MB, MEMORY_MB
from infra.run_time import billed_seconds, elapsed, read_measured
from infra.sources import ROOT

DOCUMENT = ROOT / "docs" / "deploy.md"
_BEGIN, _END = "<!-- memory: begin -->\n", "<!-- memory: end -->\n"
_COMPARED_MB = (512, 1024, FULL_CORE_MB)
_REQUESTS = 1000


def cost(folder: str, memory_mb: int) -> float:
    """Return the US dollars for the run time of 1,000 requests, without the price of the requests themselves."""
    price = read_prices()["prices"]["lambda_gb_second_arm64"]["usd"]
    return _REQUESTS * billed_seconds(folder, memory_mb) * memory_mb / 1024 * price


def with_table(text: str) -> str:
    """Return the text of docs/deploy.md with the current table. Raise ValueError if it has no place for it."""
    head, begin, rest = text.partition(_BEGIN)
    _, end, tail = rest.partition(_END)
    if not begin or not end:
        raise ValueError(f"{DOCUMENT} needs the lines {_BEGIN!r} and {_END!r}")
    return "".join([head, begin, *(f"{line}\n" for line in _lines()), end, tail])


def _lines() -> Iterator[str]:
    machine, times = read_measured()
    sizes = " / ".join(f"{size:,}" for size in _COMPARED_MB)
    yield f"Measured on {machine}. Times in ms and US$ for 1,000 requests are for {sizes} MB."
    yield ""
    yield "| function | MB | processor: start, request (ms) | start | request | US$ |"
    yield "|---|--:|--:|--:|--:|--:|"
    for folder, time in times.items():
        starts, requests = (
            " / ".join(f"{1000 * elapsed(seconds, size):,.0f}" for size in _COMPARED_MB)
            for seconds in (time["start"], time["request"])
        )
        costs = " / ".join(f"{cost(folder, size):.4f}" for size in _COMPARED_MB)
        both = f"{1000 * time['start']:.0f}, {1000 * time['request']:.0f}"
        yield f"| `{folder}` | {MEMORY_MB[folder]:,} | {both} | {starts} | {requests} | {costs} |"


if __name__ == "__main__":
    DOCUMENT.write_text(with_table(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
