"""``python -m tests.regular_expressions PACKAGE…``: print each compiled pattern whose work grows faster than its text.

All patterns in the modules of the packages are found by importing the modules, so no new pattern can be forgotten. Each
is applied to adversarial texts. On a text of 12 KB, a linear pattern takes less than a millisecond of processor time, a
quadratic one a tenth of a second, and an exponential one would never end. The limit is a part of the time that a
quadratic pattern takes in the same run, so it does not depend on the speed of the machine.
"""

import importlib
import pkgutil
import re
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

TEXT_CHARS = 12_000
MAX_PART = 0.25  # of the time that the quadratic pattern takes
_QUADRATIC = re.compile(r"a[^>]*x")
_STOP_FACTOR = 2  # a pattern is stopped after this many times the limit
_ATTEMPTS = 3  # the processor time of a linear pattern can exceed the limit once while other processes run
_UNITS = [*" a0-./:;,=\"'([{<@%\n", "a.", "a/", "a=", "a ", "0 ", "a;", "a,", '\\"', "\\n", "/a'"]
_END = "!\0"
_SKIPPED = {"local.emulator.runners.preload", "local.emulator.runners.server_imports"}  # change this process
_ANCHORED = {
    "satchel.adapters.mcp.error_output._ERROR",
    "satchel.contract.base64._DATA_URL",
    "satchel.adapters.llm.model_router._NAME",
    "satchel.adapters.sandbox.policy._OPTION",
    "satchel.services.calls.record_tool_result._FULL_RESULTS",
    "local.lint.rules.encoding._PLACEHOLDER",
    "functions.servers.documents.document_reader.range._RANGE",
    "functions.servers.documents.document_reader.texts._DEFINITION",
}
"""Patterns that are used with ``match`` or ``fullmatch`` only. ``search`` would be near or above the limit."""
_SLOW_EXAMPLES = [r"^(\w+\s?)+$", r"(a*)*b", r"\s+$", r"a[^>]*x"]


def find_slow(pattern: "re.Pattern[Any]", max_seconds: float, *, is_searched: bool = True) -> str:
    """Return a description of the text that makes the pattern slow, or an empty string."""
    methods = (pattern.search, pattern.fullmatch) if is_searched else (pattern.match, pattern.fullmatch)
    is_bytes = isinstance(pattern.pattern, bytes)
    source = pattern.pattern.decode("latin-1") if is_bytes else pattern.pattern
    literals = sorted(set(re.findall(r"[A-Za-z]{2,}", source)), key=len)[-4:]
    texts = [("", unit) for unit in [*_UNITS, *(f"{literal}{end}" for literal in literals for end in ("", " ", "://"))]]
    texts += [(f"{literal}{end}", unit) for literal in literals for end in ("", ":", ",") for unit in " a;/"]
    for begin, unit in texts:
        text: str | bytes = begin + unit * (TEXT_CHARS // len(unit)) + _END
        if is_bytes:
            text = str(text).encode("latin-1")
        if any(all(_is_slow(match, text, max_seconds) for _ in range(_ATTEMPTS)) for match in methods):
            return f"{begin!r}, then {unit!r} repeated"
    return ""


def measure_limit() -> float:
    """Return the limit in seconds of processor time, from the faster of two searches of the quadratic pattern."""
    times = []
    for _ in range(2):
        started = time.thread_time()
        _QUADRATIC.search("a" * TEXT_CHARS)
        times.append(time.thread_time() - started)
    return MAX_PART * min(times)


def _is_slow(match: Any, text: str | bytes, max_seconds: float) -> bool:  # noqa: ANN401  (a method for text or for bytes)
    started = time.thread_time()
    signal.setitimer(signal.ITIMER_PROF, _STOP_FACTOR * max_seconds)
    try:
        match(text)
    except TimeoutError:
        return True
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return time.thread_time() - started > max_seconds


def find_patterns(packages: Sequence[str]) -> Iterator[tuple[str, "re.Pattern[Any]"]]:
    """Yield the name and value of each pattern that a module of the packages defines."""
    for package in packages:
        root = importlib.import_module(package)
        for found in pkgutil.walk_packages(root.__path__, f"{package}."):
            if found.name in _SKIPPED or found.name.endswith("__main__"):
                continue
            for name, value in vars(importlib.import_module(found.name)).items():
                yield from ((f"{found.name}.{name}", each) for each in _values(value) if isinstance(each, re.Pattern))


def _values(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list | tuple):
        yield from value
    else:
        yield value


def _stop(_signal: int, _frame: object) -> None:
    raise TimeoutError


def main(packages: Sequence[str]) -> int:
    """Print the slow patterns and the number of all patterns. Return 1 if the check misses a pattern known as slow."""
    signal.signal(signal.SIGPROF, _stop)
    max_seconds = measure_limit()
    patterns: dict[re.Pattern[Any], str] = {}
    for name, pattern in find_patterns(packages):
        patterns.setdefault(pattern, name)
    for pattern, name in patterns.items():
        if reason := find_slow(pattern, max_seconds, is_searched=name not in _ANCHORED):
            sys.stdout.write(f"{name} is slow for {reason}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{len(patterns)} patterns\n")
    return 0 if all(find_slow(re.compile(example), max_seconds) for example in _SLOW_EXAMPLES) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
