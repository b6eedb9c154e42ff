"""Tests of `satchel lint` as a process that calls real tools."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SERVERS = Path(__file__).parent / "servers"


def run_lint(*arguments: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    paths = os.pathsep.join([str(ROOT), str(ROOT / "layers/core/python")])
    return subprocess.run(  # noqa: S603  (the command under test)
        [sys.executable, "-m", "local.cli.main", "lint", *arguments],
        env={**os.environ, "PYTHONPATH": paths},
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=250,
    )


def lint_tool(tool: str, *options: str) -> "subprocess.CompletedProcess[str]":
    return run_lint("--server", "python -S author.py", "--cwd", str(SERVERS), "--tool", tool, *options)


def test_valid_tool_passes() -> None:
    result = lint_tool("writes", "--args", '{"rows": 1}')

    assert (result.returncode, result.stdout, result.stderr) == (0, "no faults\n", "")


def test_json_report_lists_the_errors_of_a_tool() -> None:
    result = lint_tool("forgets", "--json")

    assert result.returncode == 1
    assert [finding["clause"] for finding in json.loads(result.stdout)["findings"]] == [
        "v2.1:artifacts:path-exists",
        "v2.1:artifacts:path-inside",
    ]


def test_unknown_tool_is_an_error_with_suggestions() -> None:
    result = lint_tool("reads")

    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("satchel: There is no tool 'reads'. Did you mean ")


def test_problems_of_the_normalizer_are_not_logged() -> None:
    output = {"structuredContent": {"results": 1}, "data": {"results": 2}, "content": []}
    result = run_lint("-", stdin=json.dumps(output))

    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines()[-1] == "1 warning"
