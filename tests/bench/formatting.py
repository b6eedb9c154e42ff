"""Text for the results of benchmarks."""

from tests.bench.curves import CurveResult
from tests.bench.harness import Benchmark, Result


def result_line(result: Result) -> str:
    """Return one result as a line for the terminal."""
    measured, baseline = median_texts(result)
    line = f"{result.benchmark.name}: {measured} / {baseline} = {ratio_text(result.ratio)} (n={len(result.measured)})"
    return line if result.within_limit else f"{line}, over its limit: {limit_text(result.benchmark)}"


def limit_text(benchmark: Benchmark) -> str:
    """Return the limit of a benchmark as text."""
    limit = benchmark.limit
    if limit is None:
        return "none"
    return f"< {ratio_text(limit.below) if limit.of == 'ratio' else _with_unit(limit.below, benchmark)}"


def median_texts(result: Result) -> tuple[str, str]:
    """Return the medians of the measured operation and of the baseline as text."""
    measured, baseline = result.medians
    return _with_unit(measured, result.benchmark), _with_unit(baseline, result.benchmark)


def ratio_text(ratio: float) -> str:
    """Return a ratio as text."""
    return f"{_three_digits(ratio)}×"  # noqa: RUF001  (the sign for times)


def curve_text(result: CurveResult) -> str:
    """Return sentences about the growth of each candidate and the limit of Satchel's."""
    curve = result.curve
    growth = "; ".join(f"size^{series.exponent:.2f} for {series.label}" for series in result.series)
    limit = f"The limit for {result.series[0].label} is size^{curve.max_exponent:g}"
    missed = "" if result.within_limit else ", **missed**"
    return f"Growth of the time from size {curve.sizes[0]} to {curve.sizes[-1]}: {growth}. {limit}{missed}."


def _with_unit(value: float, benchmark: Benchmark) -> str:
    return f"{_three_digits(value)} {benchmark.unit}"


def _three_digits(value: float) -> str:
    """Return the value with three significant digits, because more are noise: 0.0123, 1.23, 12.3, 1,230."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 100 else f"{rounded:.3g}"
