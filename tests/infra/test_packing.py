"""What layers hold: their hashes follow that, and it is what their functions need."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from infra import sources
from infra.packing.contents import Folder, OwnPackage, Packages, ServerFiles
from infra.packing.groups import GROUPS, RUNTIME, WITH_BOTO3, group_of
from infra.packing.platform import Platform
from infra.packing.requirements import UnpinnedError, beyond, read_pins

HERE = Platform()
OTHER_PYTHON = Platform(minor=12 if HERE.minor != 12 else 13)
A, A_NEWER, B = ("a==1 \\\n    --hash=sha256:1\n", "a==2 \\\n    --hash=sha256:2\n", "b==1 \\\n    --hash=sha256:3\n")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "python/ours").mkdir(parents=True)
    (tmp_path / "python/ours/__init__.py").write_text("ANSWER = 42\n")
    (tmp_path / "python/ours/__pycache__").mkdir()
    (tmp_path / "python/ours/__pycache__/stale.pyc").write_bytes(b"")
    return tmp_path


def test_the_hash_of_our_package_follows_its_sources_and_nothing_else(package: Path) -> None:
    before = OwnPackage(HERE, package).digest
    (package / "python/ours/__pycache__/more.pyc").write_bytes(b"")
    os.utime(package / "python/ours/__init__.py", (0, 0))
    assert OwnPackage(HERE, package).digest == before
    assert OwnPackage(OTHER_PYTHON, package).digest != before
    (package / "python/ours/__init__.py").write_text("ANSWER = 43\n")
    assert OwnPackage(HERE, package).digest != before


def test_our_package_comes_with_byte_code_that_python_takes_whatever_the_archive_makes_of_times(
    package: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    layer = tmp_path_factory.mktemp("layer")
    OwnPackage(HERE, package).fill(layer)
    source, (compiled,) = layer / "python/ours/__init__.py", list(layer.rglob("*.pyc"))
    os.utime(source, (0, 0))
    told = subprocess.run(
        [sys.executable, "-v", "-c", "import ours"],
        env={"PYTHONPATH": str(layer / "python")},
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    assert f"matches {source}" in told
    flags = int.from_bytes(compiled.read_bytes()[4:8], "little")
    assert flags == 0b01, "made with a hash that is not checked"
    assert b"/opt/python/ours" in compiled.read_bytes(), "a traceback names the file where it lies"


def test_for_another_python_no_byte_code_is_made(package: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    layer = tmp_path_factory.mktemp("layer")
    OwnPackage(OTHER_PYTHON, package).fill(layer)
    assert list(layer.rglob("*.pyc")) == []


def test_the_hash_of_packages_follows_versions_hashes_place_and_platform() -> None:
    some = frozenset({A, B})
    different = [
        Packages(some, HERE),
        Packages(frozenset({A_NEWER, B}), HERE),
        Packages(some, HERE, "packages"),
        Packages(some, Platform("x86_64")),
        Packages(some, OTHER_PYTHON),
    ]
    assert len({each.digest for each in different}) == len(different)
    assert Packages(frozenset({B, A}), HERE).digest == Packages(some, HERE).digest


def test_a_server_has_its_own_entry_and_folder_and_no_others(tmp_path: Path) -> None:
    root, layer = tmp_path / "root", tmp_path / "layer"
    for name in ("mine", "theirs", "data"):
        (root / name).mkdir(parents=True)
        (root / name / "main.py").write_text(name)
    (root / "mine/requirements.in").write_text("fastmcp")
    mine = ServerFiles({"mine": {"cwd": "mine"}}, root, ("data", "mine"))
    mine.fill(layer)
    files = {str(path.relative_to(layer)) for path in layer.rglob("*") if path.is_file()}
    assert files == {"servers/mcp.json", "servers/mine/main.py", "servers/data/main.py"}
    assert json.loads((layer / "servers/mcp.json").read_text()) == {"mine": {"cwd": "mine"}}
    before = mine.digest
    (root / "theirs/main.py").write_text("changed")
    assert mine.digest == before
    (root / "data/main.py").write_text("changed")
    assert mine.digest != before
    assert ServerFiles({"mine": {"cwd": "mine", "strict_files": True}}, root, ("data", "mine")).digest != mine.digest


def test_a_folder_is_found_by_its_place(tmp_path: Path) -> None:
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist/index.html").write_text("x")
    Folder(tmp_path / "dist", "page").fill(tmp_path / "layer")
    assert (tmp_path / "layer/page/index.html").is_file()


def test_requirements_must_be_pinned_with_hashes(tmp_path: Path) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text("# made by uv\n" + A + B + "loose\nhalf==1\n")
    with pytest.raises(UnpinnedError, match=r"requirements\.txt: loose, half==1: no version with hashes; `uv pip"):
        read_pins(file)
    file.write_text("# made by uv\n" + A + B)
    assert read_pins(file) == {A, B}


def test_of_what_a_server_needs_only_that_is_installed_which_not_all_have() -> None:
    base = frozenset({A})
    assert beyond(frozenset({A, B}), base) == frozenset({B})
    assert beyond(frozenset({A}), base) == frozenset()
    assert beyond(frozenset({A_NEWER, B}), base) is None, "another version: all is installed for it alone"
    assert beyond(frozenset({B}), base) is None


def test_no_layer_holds_what_lambda_brings_along_but_that_of_those_who_need_a_newer_one() -> None:
    held = {
        group: {name for pin in read_pins(sources.VENDOR / f"{group}.txt") if (name := pin.split("==")[0]) in RUNTIME}
        for group in GROUPS
    }
    assert held == {group: set(RUNTIME) if group == WITH_BOTO3 else set() for group in GROUPS}


def test_every_function_that_asks_runners_for_one_person_has_a_boto3_that_can() -> None:
    """Lambda's Invoke took a tenant late in 2025; what a runtime of Lambda brings along may be older."""
    asking = {
        path.stem
        for path in (sources.CORE / "python/satchel/bootstrap").glob("*.py")
        if "satchel.bootstrap.runners" in path.read_text()
    }
    assert asking == {"dispatch", "refresh"}
    assert {group_of(folder) for folder in asking} == {WITH_BOTO3}


def test_the_servers_that_come_with_satchel_can_be_packed() -> None:
    base = read_pins(sources.VENDOR / "server.txt")
    more = beyond(read_pins(sources.SERVERS / "report/requirements.txt"), base)
    assert more
    assert {"matplotlib", "numpy"} <= {pin.split("==")[0] for pin in more}
    assert "fastmcp" not in {pin.split("==")[0] for pin in more}
