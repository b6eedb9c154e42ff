"""Figures as people read them."""

from tests.bench.curves import Traced
from tests.bench.harness import Benchmark, Result


def summary(result: Result) -> str:
    """Write one result as a line for the terminal."""
    measured, baseline = medians(result)
    line = f"{result.benchmark.name}: {measured} / {baseline} = {times(result.ratio)} (n={len(result.measured)})"
    return line if result.kept else f"{line}, over its limit: {bound(result.benchmark)}"


def bound(benchmark: Benchmark) -> str:
    """Write what the benchmark has to stay below."""
    limit = benchmark.limit
    if limit is None:
        return "none"
    return f"< {times(limit.below) if limit.of == 'ratio' else _figure(limit.below, benchmark)}"


def medians(result: Result) -> tuple[str, str]:
    """Write the medians of the measured and of the baseline."""
    measured, baseline = result.medians
    return _figure(measured, result.benchmark), _figure(baseline, result.benchmark)


def times(ratio: float) -> str:
    """Write a ratio."""
    return f"{_short(ratio)}×"  # noqa: RUF001  (the sign for times)


def growth(traced: Traced) -> str:
    """Write how fast each line of a curve grows, and whether ours stays below what it may."""
    sizes = f"From {traced.curve.sizes[0]} to {traced.curve.sizes[-1]}"
    powers = "; ".join(f"{line.label}: with the size to the power of {line.exponent:.2f}" for line in traced.lines)
    bound = f"below {traced.curve.max_exponent:g}"
    ours = traced.lines[0].label
    return f"{sizes} the time grows. {powers}. {ours} has to stay {bound}{'.' if traced.kept else ', and **did not**.'}"


def _figure(value: float, benchmark: Benchmark) -> str:
    return f"{_short(value)} {benchmark.unit}"


def _short(value: float) -> str:
    """Keep three digits, more adds noise: 0.0123, 1.23, 12.3, 1,230."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 100 else f"{rounded:.3g}"
