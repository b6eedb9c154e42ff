"""Questions of tools in the terminal, with a real server and the command line in a pseudoterminal."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import NewUser
from tests.e2e.system_process import ROOT
from tests.e2e.user_client import UserClient

PLAN = '/asking.plan {"question": "Where to?"}'


def ask(user: UserClient, message: str, entries: str | None, folder: Path) -> tuple[int, str, str]:
    """Run `satchel ask` in a terminal with these entries, or without one. Return its exit code and its output."""
    terminal, stdin = pty.openpty() if entries is not None else os.pipe()
    if entries is not None:
        os.write(terminal, entries.encode())
    command = [sys.executable, "-m", "local.cli.main", "ask", message, "--url", user.url, "--user", user.name]
    environment = os.environ | {"SATCHEL_TOKEN": user.key, "SATCHEL_LOCAL_KEY": user.key, "HOME": str(folder)}
    process = subprocess.run(  # noqa: S603  (our own module)
        command, cwd=ROOT, stdin=stdin, capture_output=True, text=True, env=environment, check=False
    )
    os.close(terminal)
    os.close(stdin)
    return process.returncode, process.stdout, process.stderr


@pytest.fixture
def alice(new_user: NewUser) -> UserClient:
    return new_user()


def test_terminal_prompts_until_the_server_accepts_the_answer(alice: UserClient, tmp_path: Path) -> None:
    code, output, errors = ask(alice, PLAN, "\nBern\n10\n4\n", tmp_path)

    assert (code, "Days: must be at most 9" in errors) == (0, True), errors
    assert errors.startswith("asking.plan asks: Where to?\n")
    assert '"city": "Bern"' in output.replace('\\"', '"')
    assert '"days": 4' in output.replace('\\"', '"')


def test_running_tool_of_an_older_server_gets_all_kinds_of_answers(alice: UserClient, tmp_path: Path) -> None:
    kinds = ["text", "number", "yes_or_no", "enum", "choice", "choices", "titles", "form"]
    entries = "\nAda\n\n42\n\ny\n\n2\n\n2\n\n1, 2\n\n2\n\nBern\n4\n1\n\n\n"
    code, output, errors = ask(alice, f"/asking_older.ask {json.dumps({'kinds': kinds})}", entries, tmp_path)

    assert (code, "The tool waits 300 seconds for the answer." in errors) == (0, True), errors
    for answer in ("Ada", "42", "True", "Urgency.HIGH", "blue", "['red', 'blue']", "b", "Trip(city='Bern', days=4"):
        assert answer in output, (output, errors)


def test_command_without_a_terminal_cancels_the_question(alice: UserClient, tmp_path: Path) -> None:
    code, output, errors = ask(alice, PLAN, None, tmp_path)

    assert (code, "no terminal to answer in" in errors) == (0, True), errors
    assert "cancel" in output
