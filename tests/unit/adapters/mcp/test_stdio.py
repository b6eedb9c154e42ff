import sysconfig
from pathlib import Path

from satchel.adapters.mcp.stdio import create_folders, server_environment

RUNNER = {
    "PATH": "/usr/bin",
    "LANG": "C.UTF-8",
    "TZ": "Europe/Berlin",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "SATCHEL_CAPABILITY_SECRET": "secret",
    "HOME": "/root",
    "PYTHONPATH": "/somewhere",
}


def test_server_inherits_only_harmless_variables(tmp_path: Path) -> None:
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


def test_variables_of_the_entry_override_inherited_ones(tmp_path: Path) -> None:
    environment = server_environment({"KEY": "1", "TZ": "UTC"}, RUNNER, tmp_path)

    assert (environment["KEY"], environment["TZ"]) == ("1", "UTC")


def test_server_inherits_only_the_directory_of_the_interpreters_library(tmp_path: Path) -> None:
    (tmp_path / str(sysconfig.get_config_var("INSTSONAME"))).touch()
    runner = RUNNER | {"LD_LIBRARY_PATH": f"/opt/lib::relative:{tmp_path}:/tmp"}

    alone = server_environment({}, runner, tmp_path)
    both = server_environment({"LD_LIBRARY_PATH": "/opt/cuda"}, runner, tmp_path)

    assert (alone["LD_LIBRARY_PATH"], both["LD_LIBRARY_PATH"]) == (f"{tmp_path}", f"{tmp_path}:/opt/cuda")


def test_create_folders_can_be_repeated(tmp_path: Path) -> None:
    create_folders(tmp_path)
    create_folders(tmp_path)

    assert sorted(path.name for path in tmp_path.iterdir()) == [".cache", ".home", ".matplotlib", ".tmp"]


def test_links_and_files_in_place_of_the_folders_are_replaced(tmp_path: Path) -> None:
    workspace, outside = tmp_path / "alice", tmp_path / "outside"
    workspace.mkdir()
    outside.mkdir()
    (workspace / ".home").symlink_to(outside)
    (workspace / ".cache").symlink_to(workspace / "nowhere")
    (workspace / ".tmp").write_text("x")
    create_folders(workspace)

    assert all(path.is_dir() and not path.is_symlink() for path in workspace.iterdir())
