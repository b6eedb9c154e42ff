"""The process of a deployed function in the tests of the stacks."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from local.emulator.runners.functions import RunnerFunction
from local.emulator.runners.pool import EnvironmentPool
from tests.infra.deployment import function_process

SLOW_TO_IMPORT = "import time\ntime.sleep(0.5)\ndef handler(event, _context):\n    return event\n"


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[EnvironmentPool]:
    """A pool with one function, whose code takes half a second to import."""
    (tmp_path / "handler.py").write_text(SLOW_TO_IMPORT)
    (tmp_path / "clock_offset").write_text("0")
    settings = {
        function_process.CODE: str(tmp_path),
        function_process.CALL_LOG: str(tmp_path / "calls"),
        function_process.SPANS: str(tmp_path / "spans"),
        function_process.CLOCK_OFFSET: str(tmp_path / "clock_offset"),
    }
    target = f"{function_process.__name__}:handler"
    function = RunnerFunction(name="slow", target=target, settings=settings, timeout=60)
    with EnvironmentPool([function], log_dir=tmp_path / "logs") as pool:
        yield pool


def test_invocations_that_arrive_while_the_code_is_imported_wait_for_it(pool: EnvironmentPool) -> None:
    with ThreadPoolExecutor(3) as executor:
        results = executor.map(lambda number: pool.invoke("slow", "-", {"number": number}), range(3))
        assert list(results) == [{"number": number} for number in range(3)]
