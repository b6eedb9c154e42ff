from pathlib import Path

from satchel.adapters.mcp.stdio import prepare, server_environment

RUNNER = {
    "PATH": "/usr/bin",
    "LANG": "C.UTF-8",
    "TZ": "Europe/Berlin",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "SATCHEL_CAPABILITY_SECRET": "secret",
    "HOME": "/root",
    "PYTHONPATH": "/somewhere",
}


def test_of_the_runners_environment_only_the_harmless_is_passed_on(tmp_path: Path) -> None:
    assert server_environment({}, RUNNER, tmp_path) == {
        "PATH": "/usr/bin",
        "LANG": "C.UTF-8",
        "TZ": "Europe/Berlin",
        "PYTHONUTF8": "1",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "HOME": f"{tmp_path}/.home",
        "TMPDIR": f"{tmp_path}/.tmp",
        "XDG_CACHE_HOME": f"{tmp_path}/.cache",
        "MPLCONFIGDIR": f"{tmp_path}/.matplotlib",
    }


def test_the_entry_has_the_last_word(tmp_path: Path) -> None:
    environment = server_environment({"KEY": "1", "TZ": "UTC"}, RUNNER, tmp_path)

    assert (environment["KEY"], environment["TZ"]) == ("1", "UTC")


def test_the_folders_are_made_as_often_as_needed(tmp_path: Path) -> None:
    prepare(tmp_path)
    prepare(tmp_path)

    assert sorted(path.name for path in tmp_path.iterdir()) == [".cache", ".home", ".matplotlib", ".tmp"]


def test_what_a_tool_put_in_their_place_is_replaced(tmp_path: Path) -> None:
    workspace, outside = tmp_path / "home", tmp_path / "outside"
    workspace.mkdir()
    outside.mkdir()
    (workspace / ".home").symlink_to(outside)
    (workspace / ".cache").symlink_to(workspace / "nowhere")
    (workspace / ".tmp").write_text("x")
    prepare(workspace)

    assert all(path.is_dir() and not path.is_symlink() for path in workspace.iterdir())
