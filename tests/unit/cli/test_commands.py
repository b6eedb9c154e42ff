"""Tests of the help texts, the usage errors and the imports of the command line."""

import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from local.cli.main import app


def test_help_lists_the_commands() -> None:
    result = CliRunner().invoke(app, ["--help"])

    assert result.exit_code == 0
    for line in (
        "  serve         Run Satchel on this machine until Ctrl-C.\n",
        "  ask           Send a message to a running server and wait for the answer.\n",
        "  bridge        Serve chat completions and AG-UI for other front ends.\n",
        "  tools         List the tools that you can use, by server.\n",
        "  call          Call one tool without a model and print its results.\n",
        "  new-server    Create a working MCP server and its entry in mcp.json.\n",
        "  deploy-check  Check what would fail in your AWS account.\n",
        "  sign-in       Sign in at a server with passwords, for the other commands.\n",
        "  sign-out      End the sign-in of `satchel sign-in` at a server.\n",
        "  data          Inspect, export and import the data of the local run.\n",
        "  user          Manage the accounts of a server with passwords.\n",
    ):
        assert line in result.stdout


def test_help_of_data_lists_its_commands() -> None:
    result = CliRunner().invoke(app, ["data", "--help"])

    assert result.exit_code == 0
    for line in (
        "  info    Print what the data folder contains, also while a server uses it.\n",
        "  check   Compare the data folder's database with its files.\n",
        "  export  Write all items and the newest objects to an archive.\n",
        "  import  Import an archive into the data folder, or into a deployed stack.\n",
        "  vacuum  Delete unused files and compact the database.\n",
    ):
        assert line in result.stdout


def test_help_imports_no_slow_package() -> None:
    slow = {"httpx", "httpx2", "pydantic", "rich", "boto3", "moto", "fastapi", "uvicorn", "mcp", "satchel"}
    script = "import sys, local.cli.main; print(*{name.partition('.')[0] for name in sys.modules})"
    python = [sys.executable, "-c", script]
    imported = subprocess.run(python, check=True, capture_output=True, text=True)  # noqa: S603  (our own script)

    assert slow & set(imported.stdout.split()) == set()


def test_missing_file_is_a_usage_error() -> None:
    result = CliRunner().invoke(app, ["ask", "hello", "--file", "no-such.csv"])

    assert result.exit_code == 2
    assert "no-such.csv" in result.stderr


def test_missing_message_is_a_usage_error() -> None:
    result = CliRunner().invoke(app, ["ask"])

    assert result.exit_code == 2
    assert "Missing argument" in result.stderr


def test_invalid_port_is_a_usage_error() -> None:
    result = CliRunner(env={"SATCHEL_PORT": "99999"}).invoke(app, ["serve"])

    assert result.exit_code == 2
    assert "'SATCHEL_PORT'" in result.stderr


def test_table_without_a_bucket_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "x.tar").touch()

    result = CliRunner().invoke(app, ["data", "import", str(tmp_path / "x.tar"), "--table", "satchel"])

    assert result.exit_code == 2
    assert "--table and --bucket require each other" in result.stderr
