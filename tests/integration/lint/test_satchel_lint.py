"""`satchel lint` from the shell to the tool and back."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SERVERS = Path(__file__).parent / "servers"


def satchel(*arguments: str, given: str = "") -> "subprocess.CompletedProcess[str]":
    paths = os.pathsep.join([str(ROOT), str(ROOT / "layers/core/python")])
    return subprocess.run(  # noqa: S603  (the command under test)
        [sys.executable, "-m", "local.cli.main", "lint", *arguments],
        env={**os.environ, "PYTHONPATH": paths},
        input=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def lint_tool(tool: str, *options: str) -> "subprocess.CompletedProcess[str]":
    return satchel("--server", "python -S author.py", "--cwd", str(SERVERS), "--tool", tool, *options)


def test_a_real_tool_is_called_and_passes() -> None:
    done = lint_tool("writes", "--args", '{"rows": 1}')

    assert (done.returncode, done.stdout, done.stderr) == (0, "no faults\n", "")


def test_the_faults_of_a_real_tool_are_told_to_a_program() -> None:
    done = lint_tool("forgets", "--json")

    assert done.returncode == 1
    assert [finding["clause"] for finding in json.loads(done.stdout)["findings"]] == [
        "v2.1:artifacts:path-exists",
        "v2.1:artifacts:path-inside",
    ]


def test_a_tool_that_there_is_not_cannot_be_looked_at() -> None:
    done = lint_tool("reads")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("satchel: There is no tool 'reads'. Did you mean ")


def test_what_the_rules_say_is_not_said_by_a_log_as_well() -> None:
    output = {"structuredContent": {"results": 1}, "data": {"results": 2}, "content": []}
    done = satchel("-", given=json.dumps(output))

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "1 warning"
