"""Finding files that the tool's output does not name."""

from pathlib import Path

import pytest

from satchel.contract import Artifact, DeferredArtifact, ToolOutput
from satchel.ports.runners import FileState
from satchel.services.calls.store_artifacts import MAX_UNDECLARED, find_undeclared_artifacts

HOME = Path("/tmp/alice")
OLD, NEW = FileState(size=1, changed=1, inode=1), FileState(size=1, changed=2, inode=1)


def undeclared(
    after: dict[str, FileState], before: dict[str, FileState] | None = None, *declared_paths: str
) -> list[str]:
    """Return the names of the undeclared files of an output that declares these paths."""
    output = ToolOutput(artifacts=[Artifact(name="x", mime="a/b", path=path) for path in declared_paths])
    return [artifact.name for artifact in find_undeclared_artifacts(output, HOME, before or {}, after)]


@pytest.mark.clause("v2.1:output:detected")
def test_new_file_is_an_artifact() -> None:
    assert find_undeclared_artifacts(ToolOutput(), HOME, {}, {"out/chart.png": NEW}) == [
        Artifact(name="chart.png", path="/tmp/alice/out/chart.png", mime="image/png")
    ]


@pytest.mark.parametrize(
    "state",
    [
        FileState(size=2, changed=1, inode=1),
        FileState(size=1, changed=2, inode=1),
        FileState(size=1, changed=1, inode=2),
    ],
)
def test_changed_file_is_an_artifact(state: FileState) -> None:
    assert undeclared({"a.csv": state}, {"a.csv": OLD}) == ["a.csv"]


def test_unchanged_file_is_no_artifact() -> None:
    assert undeclared({"a.csv": OLD, "b.csv": NEW}, {"a.csv": OLD}) == ["b.csv"]


def test_deleted_file_is_no_artifact() -> None:
    assert undeclared({}, {"a.csv": OLD}) == []


@pytest.mark.parametrize("path", ["/tmp/alice/out/a.csv", "out/a.csv", "./out/a.csv", "/tmp/alice//out/../out/a.csv"])
def test_declared_file_is_not_found_again(path: str) -> None:
    assert undeclared({"out/a.csv": NEW, "b.csv": NEW}, {}, path) == ["b.csv"]


def test_deferred_file_is_not_found_again() -> None:
    deferred = DeferredArtifact(name="draft.docx", path="/tmp/alice/draft.docx", mime="a/b")
    assert find_undeclared_artifacts(ToolOutput(deferred_artifacts=[deferred]), HOME, {}, {"draft.docx": NEW}) == []


def test_number_of_undeclared_files_is_limited() -> None:
    many = {f"{number:03}.csv": NEW for number in range(MAX_UNDECLARED + 5)}
    assert undeclared(dict(reversed(many.items()))) == list(many)[:MAX_UNDECLARED]
