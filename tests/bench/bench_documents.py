"""Times and memory of the server `documents` for large files, in the forked processes in which its tools read them."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.bench.harness import Benchmark, Comparison, Limit
from tests.documents.large import GIB, NEEDLE, Action, read_page, run_action, search, write_book, write_table

PAGES, PAGE = 1_000, 500
BLOCK = 1 << 20
MAX_PAGE_SECONDS, MAX_SILENT_SECONDS, MAX_MEMORY_MIB = 2, 25, 64


@contextmanager
def page() -> Iterator[Comparison]:
    """Read a page in the middle of a long document, and the only page of a short one."""
    with tempfile.TemporaryDirectory() as folder:
        long, short = Path(folder) / "long.pdf", Path(folder) / "short.pdf"
        write_book(long, PAGES)
        write_book(short, 1)
        yield Comparison(
            measured=partial(_run, read_page(long, PAGE), f"This is sheet {PAGE}."),
            baseline=partial(_run, read_page(short, 1), "This is sheet 1."),
        )


@contextmanager
def table() -> Iterator[Comparison]:
    """Search a table that has its only match at the end, and read the same file in blocks."""
    with _tables() as (large, _):
        yield Comparison(measured=partial(_run, search(large, "NEEDLE"), NEEDLE), baseline=partial(_read_blocks, large))


@contextmanager
def table_memory() -> Iterator[Comparison]:
    """Measure the memory of the search of a large table and of a small one."""
    with _tables() as (large, small):
        yield Comparison(measured=_memory(large), baseline=_memory(small))


@contextmanager
def _tables() -> Iterator[tuple[Path, Path]]:
    with tempfile.TemporaryDirectory() as folder:
        large, small = Path(folder) / "large.csv", Path(folder) / "small.csv"
        write_table(large, GIB, sparse=False)
        write_table(small, BLOCK, sparse=False)
        yield large, small


def _run(action: Action, expected: str) -> None:
    """Run an action. Raise ValueError unless its answer has the expected text, because errors are fast."""
    text, _ = run_action(action)
    if expected not in text:
        raise ValueError(f"the answer does not have {expected!r}: {text[:500]}")


def _memory(path: Path) -> Callable[[], float]:
    return lambda: run_action(search(path, "NEEDLE"))[1]


def _read_blocks(path: Path) -> None:
    with path.open("rb", buffering=0) as file:
        while file.read(BLOCK):
            pass


BENCHMARKS = [
    Benchmark(
        name="documents-page",
        measured=f"page {PAGE} of a PDF of {PAGES:,} pages, read by a warm server `documents`",
        baseline="the page of a PDF of one page",
        unit="s",
        setup=page,
        limit=Limit("measured", MAX_PAGE_SECONDS),
    ),
    Benchmark(
        name="documents-search",
        measured="the search of a CSV file of 1 GiB by the server `documents`",
        baseline="reading the file in blocks of 1 MiB",
        unit="s",
        setup=table,
        runs=3,
        limit=Limit("measured", MAX_SILENT_SECONDS),
    ),
    Benchmark(
        name="documents-search-memory",
        measured="memory of that search above the server's own",
        baseline="the same for a CSV file of 1 MiB",
        unit="MiB",
        setup=table_memory,
        runs=3,
        limit=Limit("measured", MAX_MEMORY_MIB),
    ),
]
