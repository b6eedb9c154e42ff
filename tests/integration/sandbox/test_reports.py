"""What a tool was stopped from is known by its path, however the tool tried."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.domain.isolation import Isolation
from tests.integration.sandbox.conftest import LAYERS, needs_kernel, walled
from tests.integration.sandbox.walled import Walled

PYTHON = ["open", "os", "os.mkdir", "pathlib", "shutil", "sqlite", "numpy", "zipfile"]
PAST_PYTHON = ["shell", "program", "sqlite attach", "native", "pyarrow"]


@pytest.fixture(scope="module")
def trying(loop: EventLoop, isolation: Isolation, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walled]:
    with walled(loop, tmp_path_factory.mktemp("base") / "alice", isolation) as server:
        yield server


@pytest.fixture(scope="module")
def behind_the_kernel(loop: EventLoop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walled]:
    with walled(loop, tmp_path_factory.mktemp("base") / "alice", LAYERS) as server:
        yield server


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    place = tmp_path / "outside"
    place.mkdir()
    return place


@pytest.mark.parametrize("way", PYTHON)
def test_an_attempt_from_python_is_reported_with_its_path(trying: Walled, outside: Path, way: str) -> None:
    wanted = str(outside / ("x.npy" if way == "numpy" else "x"))

    called = trying.call("reach", way=way, path=wanted, username="alice")

    assert called.refused == [wanted]
    assert "outside allowed directory" in called.error
    assert list(outside.iterdir()) == []


def test_pandas_is_reported_by_its_file_where_it_can_see_the_directory(trying: Walled) -> None:
    called = trying.call("reach", way="pandas", path="/etc/satchel-x", username="alice")

    assert called.refused == ["/etc/satchel-x"]
    assert "outside allowed directory" in called.error
    assert not Path("/etc/satchel-x").exists()


def test_pandas_is_reported_by_the_directory_where_it_cannot(
    trying: Walled, isolation: Isolation, outside: Path
) -> None:
    called = trying.call("reach", way="pandas", path=f"{outside}/x", username="alice")

    assert called.refused == [str(outside) if "mounts" in isolation.layers else f"{outside}/x"]
    assert list(outside.iterdir()) == []


@needs_kernel
@pytest.mark.parametrize("way", PAST_PYTHON)
def test_an_attempt_past_python_is_known_by_what_the_tool_says(
    behind_the_kernel: Walled, outside: Path, way: str
) -> None:
    called = behind_the_kernel.call("reach", way=way, path=f"{outside}/x", username="alice")

    assert called.refused == [f"{outside}/x"]
    assert called.error
    assert list(outside.iterdir()) == []


@needs_kernel
@pytest.mark.parametrize("way", PAST_PYTHON)
def test_the_same_in_a_place_that_may_be_read(behind_the_kernel: Walled, way: str) -> None:
    called = behind_the_kernel.call("reach", way=way, path="/etc/satchel-x", username="alice")

    assert called.refused == ["/etc/satchel-x"]


@pytest.mark.parametrize("way", ["read", "list"])
def test_reaching_for_what_is_somebody_elses_is_reported(trying: Walled, way: str) -> None:
    other = trying.workspace.with_name("bob")
    other.mkdir(exist_ok=True)

    assert trying.call("reach", way=way, path=str(other), username="alice").refused == [str(other)]


def test_it_makes_no_difference_whether_it_is_there(trying: Walled) -> None:
    nobody = trying.workspace.with_name("nobody") / "file"

    assert trying.call("reach", way="read", path=str(nobody), username="alice").refused == [str(nobody)]


def test_a_link_is_reported_by_what_it_leads_to(trying: Walled, outside: Path) -> None:
    link = trying.workspace / f"link-{os.getpid()}"
    link.symlink_to(outside)
    called = trying.call("reach", way="pathlib", path=f"{link}/x", username="alice")
    link.unlink()

    assert called.refused == [f"{outside}/x"]


def test_the_way_back_up_is_reported_by_where_it_leads(trying: Walled) -> None:
    called = trying.call("reach", way="open", path=f"{trying.workspace}/../up", username="alice")

    assert called.refused == [f"{trying.workspace.parent}/up"]


@pytest.mark.clause("v2.1:isolation:no-username-no-writes")
@pytest.mark.parametrize("way", PYTHON)
def test_a_tool_without_username_writes_nowhere_not_even_at_home(trying: Walled, way: str) -> None:
    wanted = str(trying.workspace / ("x.npy" if way == "numpy" else "x"))

    called = trying.call("reach_as_a_reader", way=way, path=wanted, writes=False)

    assert called.refused == [wanted]
    assert not Path(wanted).exists()


@needs_kernel
@pytest.mark.clause("v2.1:isolation:no-username-no-writes")
@pytest.mark.parametrize("way", PAST_PYTHON)
def test_the_same_past_python(behind_the_kernel: Walled, way: str) -> None:
    wanted = behind_the_kernel.workspace / "x"

    called = behind_the_kernel.call("reach_as_a_reader", way=way, path=str(wanted), writes=False)

    assert called.refused == [str(wanted)]
    assert not wanted.exists()


def test_it_may_read_what_it_is_given(trying: Walled) -> None:
    (trying.workspace / "given").write_text("x")

    called = trying.call("reach_as_a_reader", way="read", path=str(trying.workspace / "given"), writes=False)

    assert (called.results, called.refused) == ("done", [])


def test_a_tool_that_goes_on_keeps_its_result(trying: Walled, outside: Path) -> None:
    called = trying.call("reach_and_go_on", path=f"{outside}/x", username="alice")

    assert (called.results, called.refused) == ("done without", [f"{outside}/x"])


def test_of_the_call_before_nothing_is_left(trying: Walled, outside: Path) -> None:
    trying.call("reach_and_go_on", path=f"{outside}/x", username="alice")

    assert trying.call("reach", way="open", path=f"{trying.workspace}/fine", username="alice").refused == []


@pytest.mark.parametrize("words", ["no rows", "Permission denied (publickey)", "cannot read /usr/share/none"])
def test_a_failure_for_other_reasons_is_no_attempt(trying: Walled, words: str) -> None:
    assert trying.call("says_no", words=words, username="alice").refused == []
