"""The command itself: its help, its options, what it loads."""

import subprocess
import sys

from typer.testing import CliRunner

from local.cli.main import app


def test_help_names_the_commands() -> None:
    told = CliRunner().invoke(app, ["--help"])

    assert told.exit_code == 0
    for said in (
        "  serve       Serve Satchel on this machine until Ctrl-C.\n",
        "  ask         Say something to a running server and wait.\n",
        "  tools       List the tools that you may use, by server.\n",
        "  call        Call one tool as a model would, and print its results.\n",
        "  new-server  Write a server that works, with its entry in mcp.json.\n",
    ):
        assert said in told.stdout


def test_help_loads_nothing_that_takes_time() -> None:
    slow = {"httpx", "pydantic", "rich", "boto3", "moto", "fastapi", "uvicorn", "mcp", "satchel"}
    script = "import sys, local.cli.main; print(*{name.partition('.')[0] for name in sys.modules})"
    python = [sys.executable, "-c", script]
    loaded = subprocess.run(python, check=True, capture_output=True, text=True)  # noqa: S603  (our own script)

    assert slow & set(loaded.stdout.split()) == set()


def test_a_file_that_is_not_there_is_a_matter_of_usage() -> None:
    told = CliRunner().invoke(app, ["ask", "hello", "--file", "no-such.csv"])

    assert told.exit_code == 2
    assert "no-such.csv" in told.stderr


def test_without_a_message_the_usage_is_told() -> None:
    told = CliRunner().invoke(app, ["ask"])

    assert told.exit_code == 2
    assert "Missing argument" in told.stderr


def test_a_port_that_is_none_is_a_matter_of_usage() -> None:
    told = CliRunner(env={"SATCHEL_PORT": "99999"}).invoke(app, ["serve"])

    assert told.exit_code == 2
    assert "'SATCHEL_PORT'" in told.stderr
