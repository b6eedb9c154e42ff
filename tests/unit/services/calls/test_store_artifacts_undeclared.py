"""Files that a tool made and named nowhere (spec 3 §2.2)."""

from pathlib import Path

import pytest

from satchel.contract import Artifact, DeferredArtifact, ToolOutput
from satchel.ports.runners import FileState
from satchel.services.calls.store_artifacts import MAX_UNDECLARED, find_undeclared_artifacts

HOME = Path("/tmp/alice")
OLD, NEW = FileState(size=1, changed=1, inode=1), FileState(size=1, changed=2, inode=1)


def found(after: dict[str, FileState], before: dict[str, FileState] | None = None, *named: str) -> list[str]:
    """Return the names of what a tool made, if its output names the artifacts of these paths."""
    output = ToolOutput(artifacts=[Artifact(name="x", mime="a/b", path=path) for path in named])
    return [artifact.name for artifact in find_undeclared_artifacts(output, HOME, before or {}, after)]


@pytest.mark.clause("v2.1:output:detected")
def test_a_file_that_is_new_is_an_artifact_by_its_name() -> None:
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
def test_a_file_that_was_changed_is_one(state: FileState) -> None:
    assert found({"a.csv": state}, {"a.csv": OLD}) == ["a.csv"]


def test_a_file_that_was_there_before_is_not() -> None:
    assert found({"a.csv": OLD, "b.csv": NEW}, {"a.csv": OLD}) == ["b.csv"]


def test_a_file_that_is_gone_is_not() -> None:
    assert found({}, {"a.csv": OLD}) == []


@pytest.mark.parametrize("path", ["/tmp/alice/out/a.csv", "out/a.csv", "./out/a.csv", "/tmp/alice//out/../out/a.csv"])
def test_a_file_that_the_output_names_is_not_found_again_however_it_is_named(path: str) -> None:
    assert found({"out/a.csv": NEW, "b.csv": NEW}, {}, path) == ["b.csv"]


def test_neither_is_one_that_waits() -> None:
    waiting = DeferredArtifact(name="draft.docx", path="/tmp/alice/draft.docx", mime="a/b")
    assert find_undeclared_artifacts(ToolOutput(deferred_artifacts=[waiting]), HOME, {}, {"draft.docx": NEW}) == []


def test_of_very_many_files_the_first_are_found() -> None:
    many = {f"{number:03}.csv": NEW for number in range(MAX_UNDECLARED + 5)}
    assert found(dict(reversed(many.items()))) == list(many)[:MAX_UNDECLARED]
