import pytest

from satchel.adapters.sandbox.policy import PythonCommand, parse_python_command


@pytest.mark.parametrize(
    ("command", "parsed"),
    [
        (["python", "main.py", "-v"], PythonCommand((), "-f", ("main.py", "-v"))),
        (["/usr/bin/python3.12", "-u", "main.py"], PythonCommand(("-u",), "-f", ("main.py",))),
        (["python3", "-m", "server", "--port"], PythonCommand((), "-m", ("server", "--port"))),
        (["python", "-mserver"], PythonCommand((), "-m", ("server",))),
        (["python", "-Sc", "pass", "x"], PythonCommand(("-S",), "-c", ("pass", "x"))),
        (["python", "-X", "utf8", "-Wignore", "a.py"], PythonCommand(("-X", "utf8", "-Wignore"), "-f", ("a.py",))),
        (["python", "-W", "error", "a.py"], PythonCommand(("-W", "error"), "-f", ("a.py",))),
        (
            ["python", "--check-hash-based-pycs", "never", "a"],
            PythonCommand(("--check-hash-based-pycs", "never"), "-f", ("a",)),
        ),
    ],
)
def test_python_command_is_parsed(command: list[str], parsed: PythonCommand) -> None:
    assert parse_python_command(command) == parsed


@pytest.mark.parametrize(
    "command", [["node", "main.mjs"], ["python"], ["python", "-V"], ["python", "-c"], ["pythonx", "a"]]
)
def test_other_command_is_not_parsed(command: list[str]) -> None:
    assert parse_python_command(command) is None
