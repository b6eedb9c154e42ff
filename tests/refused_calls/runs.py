"""Runs the runner's real handler in a sandbox like Lambda's, without some system calls."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.refused_calls.aws_stub import aws_stub

ROOT = Path(__file__).parents[2]
ERRORS = (errno.ENOSYS, errno.EPERM)
_BUCKET = "files"
_SECONDS = 600


@dataclass(frozen=True)
class Case:
    """System calls that fail with an error number."""

    refused: tuple[str, ...]
    error: int


@dataclass(frozen=True)
class Outcome:
    """The listed tools, the isolation and the report of the call. ``failure`` is the traceback of a failed run."""

    tools: list[str]
    isolation: dict[str, Any]
    report: dict[str, Any]
    failure: str | None

    @property
    def tools_run(self) -> bool:
        """Return True if the tool was listed, ran another program, and its file was stored."""
        return self.tools == ["work"] and self.report.get("results") == "done" and len(self.report["files"]) == 1


def run_cases(cases: Sequence[Case]) -> list[Outcome]:
    """Run a runner for each case, and return the outcomes. The processes end before this returns."""
    with aws_stub() as aws:
        environ = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "layers/core/python"))),
            "AWS_ENDPOINT_URL": aws.url,
            "AWS_ACCESS_KEY_ID": "a",
            "AWS_SECRET_ACCESS_KEY": "b",
            "AWS_REGION": "us-east-1",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
            "SATCHEL_MCP_CONFIG": str(Path(__file__).parent / "mcp.json"),
            "SATCHEL_SERVER": "worker",
            "SATCHEL_TABLE": "table",
            "SATCHEL_BUCKET": _BUCKET,
            "SATCHEL_METRICS": "off",
        }
        readable = (f"read={path}" for path in (ROOT, os.path.realpath(sys.base_prefix), os.path.realpath(sys.prefix)))
        runner = (sys.executable, "-m", "tests.refused_calls.runner_process")
        text = json.dumps([(case.refused, case.error) for case in cases])
        command = [sys.executable, "-m", "tests.refused_calls.lambda_sandbox", *readable, "--", *runner, text]
        completed = subprocess.run(  # noqa: S603  (fixed arguments)
            command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False, timeout=_SECONDS
        )
        results = dict(_results(completed.stdout))
    return [
        Outcome(
            tools=results.get(number, {}).get("tools", []),
            isolation=results.get(number, {}).get("isolation", {}),
            report=results.get(number, {}).get("report", {}),
            failure=results.get(number, {"error": completed.stderr}).get("error"),
        )
        for number in range(len(cases))
    ]


def _results(output: str) -> list[tuple[int, dict[str, Any]]]:
    """Parse the lines of the runner process. Skip log lines."""
    lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    return [(line["case"], line) for line in lines if "case" in line]
