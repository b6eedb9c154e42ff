import sysconfig
from pathlib import Path

import pytest

from satchel.adapters.mcp.stdio import create_folders, server_environment, with_workspace
from satchel.domain.servers import ServerEntry

RUNNER = {
    "PATH": "/usr/bin",
    "LANG": "C.UTF-8",
    "TZ": "Europe/Berlin",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "SATCHEL_CAPABILITY_SECRET": "secret",
    "HOME": "/root",
    "PYTHONPATH": "/somewhere",
}


def entry(**fields: object) -> ServerEntry:
    return ServerEntry.model_validate({"command": ["a"], **fields})


def test_server_inherits_only_harmless_variables(tmp_path: Path) -> None:
    assert server_environment(entry(), RUNNER, tmp_path) == {
        "PATH": "/usr/bin",
        "LANG": "C.UTF-8",
        "TZ": "Europe/Berlin",
        "PYTHONUTF8": "1",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
        "HOME": f"{tmp_path}/.home",
        "TMPDIR": f"{tmp_path}/.tmp",
        "XDG_CACHE_HOME": f"{tmp_path}/.cache",
        "MPLCONFIGDIR": f"{tmp_path}/.matplotlib",
        "SATCHEL_WORKSPACE": str(tmp_path),
    }


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "no_proxy", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"])
def test_server_inherits_proxies_and_certificates_if_it_has_a_network(tmp_path: Path, name: str) -> None:
    runner = RUNNER | {name: "/srv/x"}

    assert server_environment(entry(), runner, tmp_path)[name] == "/srv/x"
    assert name not in server_environment(entry(network=False), runner, tmp_path)


def test_server_can_read_the_certificates_that_it_must_trust(tmp_path: Path) -> None:
    runner = RUNNER | {"SSL_CERT_FILE": "/home/ada/ca.pem"}

    assert with_workspace(entry(read_paths=["/a"]), tmp_path, runner).read_paths == ["/a", "/home/ada/ca.pem"]
    assert with_workspace(entry(network=False), tmp_path, runner).read_paths == []


def test_placeholder_of_the_workspace_is_replaced_in_command_env_and_cwd(tmp_path: Path) -> None:
    place = "${SATCHEL_WORKSPACE}"
    filled = with_workspace(entry(command=["a", f"{place}/b"], env={"C": f"x{place}"}, cwd=place), tmp_path, {})

    assert (filled.command, filled.env, filled.cwd) == (["a", f"{tmp_path}/b"], {"C": f"x{tmp_path}"}, str(tmp_path))


def test_variables_of_the_entry_override_inherited_ones(tmp_path: Path) -> None:
    environment = server_environment(entry(env={"KEY": "1", "TZ": "UTC"}), RUNNER, tmp_path)

    assert (environment["KEY"], environment["TZ"]) == ("1", "UTC")


def test_server_inherits_only_the_directory_of_the_interpreters_library(tmp_path: Path) -> None:
    (tmp_path / str(sysconfig.get_config_var("INSTSONAME"))).touch()
    runner = RUNNER | {"LD_LIBRARY_PATH": f"/opt/lib::relative:{tmp_path}:/tmp"}

    alone = server_environment(entry(), runner, tmp_path)
    both = server_environment(entry(env={"LD_LIBRARY_PATH": "/opt/cuda"}), runner, tmp_path)

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
