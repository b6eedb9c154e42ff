"""``python -m tests.infra.deployment.processor_time``: measure the functions, and write ``infra/processor_time.json``.

The run of all functions on moto (``scenario``) measures requests. New interpreters measure starts: they import a
function's handler and create its clients, as a new Lambda environment does. Both are seconds of processor time, so the
load of the machine hardly matters, but its processor does.
"""

import json
import platform
import subprocess
import sys
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from infra.run_time import MEASURED, FunctionTime
from infra.sources import ROOT
from tests.infra.conftest import synthesize
from tests.infra.deployment.function_process import INVOCATION, METRIC, PROCESSOR_TIME
from tests.infra.deployment.recorded_calls import Call, read_calls
from tests.infra.deployment.scenario import Scenario, install_tool_server
from tests.infra.deployment.system import deploy

_STARTS = 3
_EMPTY = "import time; print(time.process_time())"
_START = (
    "import time, boto3; import functions.{folder}.handler; session = boto3.Session(region_name='us-east-1'); "
    "[session.client(each) for each in {services}]; print(time.process_time())"
)
_NO_SERVICES = {INVOCATION, METRIC, PROCESSOR_TIME}


def measure_requests(folders: Mapping[str, str], calls: Sequence[Call]) -> dict[str, float]:
    """Return for each function's folder the median processor time of its requests, in seconds."""
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    for call in calls:
        if call.service == PROCESSOR_TIME:
            seconds[folders[call.function]].append(float(call.params["seconds"]))
    return {folder: median(measured) for folder, measured in seconds.items()}


def measure_start(folder: str, services: Collection[str]) -> float:
    """Return the processor time in seconds in which a new interpreter imports a handler and creates its AWS clients.

    The interpreter's own start is not included.
    """
    return _median_seconds(_START.format(folder=folder, services=sorted(services))) - _median_seconds(_EMPTY)


@lru_cache
def _median_seconds(code: str) -> float:
    path = {"PYTHONPATH": f"{ROOT}:{ROOT / 'layers' / 'core' / 'python'}", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", code]
    runs = [subprocess.run(command, env=path, capture_output=True, check=True) for _ in range(_STARTS)]  # noqa: S603  (own code)
    return median(float(run.stdout) for run in runs)


def main() -> None:
    """Measure all functions and write the results."""
    with TemporaryDirectory() as folder:
        templates, scratch = Path(folder) / "templates", Path(folder) / "run"
        scratch.mkdir()
        synthesize(templates, "default")
        with deploy(templates / "default", scratch) as system:
            install_tool_server(system)
            system.invoke("Refresh", {"source": "aws.cloudformation"})
            Scenario(system).run()
            descriptions = {name: str(each.configuration["Description"]) for name, each in system.functions.items()}
            calls = read_calls(system.call_logs)
    folders = {name: description.removeprefix("functions/") for name, description in descriptions.items()}
    services: defaultdict[str, set[str]] = defaultdict(set)
    for call in calls:
        services[folders[call.function]] |= {call.service} - _NO_SERVICES
    times = {
        folder: FunctionTime(start=round(measure_start(folder, services[folder]), 3), request=round(request, 3))
        for folder, request in sorted(measure_requests(folders, calls).items())
    }
    machine = f"{platform.machine()}, Python {platform.python_version()}"
    MEASURED.write_text(json.dumps({"machine": machine, "functions": times}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
