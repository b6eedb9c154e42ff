"""The commands of functions whose servers npx, uvx and node start on other machines."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from infra.commands import CommandError, deployed_command

PINS = "some-server==1.2 \\\n    --hash=sha256:1\nother[extra]==3 \\\n    --hash=sha256:2\n"


def locked(name: str, **fields: object) -> dict[str, Any]:
    return {f"node_modules/{name}": {"version": "1.2.3", "integrity": "sha512-x", **fields}}


def write_lock(folder: Path, packages: dict[str, Any]) -> Path:
    (folder / "package.json").write_text("{}")
    path = folder / "package-lock.json"
    path.write_text(json.dumps({"lockfileVersion": 3, "packages": {"": {}, **packages}}))
    return path


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    one = locked("@scope/server", bin={"mcp-one": "./dist/one.js"})
    return write_lock(tmp_path, one | locked("many", bin={"many": "a.js", "more": "b.js"}) | locked("none"))


@pytest.fixture
def pins(tmp_path: Path) -> Path:
    path = tmp_path / "requirements.txt"
    path.write_text(PINS)
    return path


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["npx", "-y", "@scope/server", "stdio", "-y"], ["@scope/server/dist/one.js", "stdio", "-y"]),
        (["npx", "--yes", "@scope/server@1.2.3"], ["@scope/server/dist/one.js"]),
        (["npx", "@scope/server@latest"], ["@scope/server/dist/one.js"]),
        (["npx", "many"], ["many/a.js"]),
        (["npx", "-p", "many@1.2.3", "more", "x"], ["many/b.js", "x"]),
        (["npx", "--package=many", "--", "more"], ["many/b.js"]),
    ],
)
def test_npx_becomes_node_with_the_program_of_the_locked_package(
    lock: Path, command: list[str], expected: list[str]
) -> None:
    program, *arguments = expected
    assert deployed_command(command, lock) == ["/opt/bin/node", f"/opt/node_modules/{program}", *arguments]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["npx", "absent"], "does not have the package absent"),
        (["npx", "many@1.2.4"], "names many 1.2.4, but .* has 1.2.3"),
        (["npx", "-p", "many", "most"], "many has no program 'most', but many, more"),
        (["npx", "none"], "none has no program 'none', but none"),
        (["npx", "--registry=x", "many"], "cannot apply the option --registry=x of npx"),
        (["npx", "-y"], "names no package for npx"),
    ],
)
def test_npx_command_that_the_lock_does_not_fit_raises(lock: Path, command: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        deployed_command(command, lock)


def test_lock_without_a_hash_or_package_file_raises(tmp_path: Path) -> None:
    lock = write_lock(tmp_path, {"node_modules/git-package": {"version": "1"}})
    with pytest.raises(CommandError, match="no hash for node_modules/git-package"):
        deployed_command(["npx", "git-package"], lock)
    (tmp_path / "package.json").unlink()
    with pytest.raises(CommandError, match=r"must be a package-lock\.json with its package\.json beside it"):
        deployed_command(["npx", "git-package"], lock)


def test_node_runs_from_its_layer_and_python_is_unchanged(lock: Path) -> None:
    assert deployed_command(["node", "main.mjs", "-v"], lock) == ["/opt/bin/node", "main.mjs", "-v"]
    assert deployed_command(["python", "main.py"], None) == ["python", "main.py"]


def test_uvx_becomes_the_console_script_of_the_pinned_package(pins: Path, tmp_path: Path) -> None:
    info = tmp_path / "some_server-1.2.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text("[console_scripts]\nsome-server = some_module:main\n")
    (info / "METADATA").write_text("Name: some-server\nVersion: 1.2\n")
    (tmp_path / "some_module.py").write_text("import sys\ndef main():\n    print(sys.argv)\n    return 3\n")

    program, *arguments = deployed_command(["uvx", "some-server@1.2", "--flag"], pins)

    assert program == "python"
    command, environ = [sys.executable, *arguments], {"PYTHONPATH": str(tmp_path)}
    completed = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)  # noqa: S603  (ours)
    assert (completed.stdout, completed.returncode) == ("['some-server', '--flag']\n", 3)


@pytest.mark.parametrize(
    ("command", "script"),
    [
        (["uvx", "Some_Server"], "Some_Server"),
        (["uvx", "--from", "other[extra]==3", "program"], "program"),
        (["uvx", "--from=some-server", "program"], "program"),
    ],
)
def test_uvx_names_the_script_apart_from_its_package(pins: Path, command: list[str], script: str) -> None:
    assert deployed_command(command, pins)[3:] == [script]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["uvx", "absent"], "does not pin absent"),
        (["uvx", "some-server==1.3"], "names some-server 1.3, but .* has 1.2"),
        (["uvx", "--with", "x", "some-server"], "cannot apply the option --with of uvx"),
    ],
)
def test_uvx_command_that_the_pins_do_not_fit_raises(pins: Path, command: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        deployed_command(command, pins)
