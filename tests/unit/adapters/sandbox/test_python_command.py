import pytest

from satchel.adapters.sandbox.policy import PythonCommand, read_python


@pytest.mark.parametrize(
    ("command", "read"),
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
def test_a_python_command_is_taken_apart(command: list[str], read: PythonCommand) -> None:
    assert read_python(command) == read


@pytest.mark.parametrize(
    "command", [["node", "main.mjs"], ["python"], ["python", "-V"], ["python", "-c"], ["pythonx", "a"]]
)
def test_what_is_no_start_of_python_is_left_alone(command: list[str]) -> None:
    assert read_python(command) is None
