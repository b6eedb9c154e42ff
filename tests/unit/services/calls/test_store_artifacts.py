"""Bringing what a tool made into the store: one bad artifact never costs a result."""

from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from satchel.contract import Artifact, ArtifactProblem, DeferredArtifact, ErrorCode, ToolOutput, normalize
from satchel.domain.calls import MAX_INLINE_BYTES, StoredFile
from satchel.domain.ids import object_id
from satchel.domain.object_keys import call_objects_prefixes
from satchel.services.calls.store_artifacts import StoreArtifacts
from tests.fakes.runners import open_inside
from tests.fakes.storage import FakeFileStore
from tests.unit.services.orders import CALL_ID, USER, order

MOST = 1000
FOLDER = f"{USER}/artifacts/20240827"
Kept = tuple[list[StoredFile], list[ArtifactProblem]]


@pytest.fixture
def store() -> FakeFileStore:
    return FakeFileStore()


def keep(
    store: FakeFileStore, workspace: Path | None, *artifacts: Artifact, waiting: list[DeferredArtifact] | None = None
) -> Kept:
    output = ToolOutput(artifacts=list(artifacts), deferred_artifacts=waiting or [])
    return StoreArtifacts(store, open_inside, MOST)(order(), workspace, output)


def b64(body: bytes) -> str:
    return b64encode(body).decode()


def inline(name: str, body: bytes = b"hello", **more: Any) -> Artifact:  # noqa: ANN401 (any field of an artifact)
    return Artifact(name=name, mime="text/plain", b64=b64(body), **more)


@pytest.mark.clause("v2:artifacts:persisted")
def test_base64_is_decoded_and_stored_under_the_calls_prefix(store: FakeFileStore) -> None:
    stored, problems = keep(store, None, inline("../a.txt", description="Greeting", auto_open=True))
    key = f"{FOLDER}/{object_id(CALL_ID, 0)}/a.txt"
    assert stored == [
        StoredFile(
            object_id=object_id(CALL_ID, 0),
            key=key,
            name="a.txt",
            raw_name="../a.txt",
            mime="text/plain",
            size=5,
            index=0,
            artifact={
                "name": "../a.txt",
                "mime": "text/plain",
                "size": 5,
                "description": "Greeting",
                "auto_open": True,
            },
        )
    ]
    assert problems == []
    assert (store.objects[key].body, store.objects[key].mime) == (b"hello", "text/plain")


@pytest.mark.clause("v5:flow:stored")
def test_text_that_came_in_the_result_is_stored_too(store: FakeFileStore) -> None:
    stored, _ = keep(store, None, Artifact(name="a.md", mime="text/markdown", content="# Ü"))
    assert (store.objects[stored[0].key].body, stored[0].size) == ("# Ü".encode(), 4)
    assert "content" not in stored[0].artifact


def test_only_short_text_that_came_as_text_goes_back_as_text(store: FakeFileStore) -> None:
    short, long = "x" * MAX_INLINE_BYTES, "x" * (MAX_INLINE_BYTES + 1)
    texts = [Artifact(name="a", mime="text/plain", content=text) for text in (short, long)]
    stored, _ = keep(store, None, *texts, inline("b"))
    assert [file.inline for file in stored] == [True, False, False]


def test_what_was_made_besides_is_kept_after_the_tools_own_and_marked(store: FakeFileStore, tmp_path: Path) -> None:
    (tmp_path / "found.csv").touch()
    found = Artifact(name="found.csv", mime="text/csv", path="found.csv")
    gone = found.model_copy(update={"name": "gone.csv", "path": "gone.csv"})
    output = ToolOutput(artifacts=[inline("own")])
    stored, problems = StoreArtifacts(store, open_inside, MOST)(order(), tmp_path, output, [found, gone])
    assert [(file.name, file.index, file.declared) for file in stored] == [("own", 0, True), ("found.csv", 1, False)]
    assert [problem.name for problem in problems] == ["gone.csv"]


@pytest.mark.clause("v2.1:artifacts:path", "v2.1:artifacts:size")
def test_a_file_is_read_from_the_persons_directory(store: FakeFileStore, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(b"<p>")
    stored, _ = keep(store, tmp_path, Artifact(name="a.html", mime="text/html", path=str(tmp_path / "a.html"), size=99))
    assert (store.objects[stored[0].key].body, stored[0].size) == (b"<p>", 3)
    assert "path" not in stored[0].artifact


def test_of_two_places_the_one_that_came_in_the_result_counts(store: FakeFileStore) -> None:
    stored, problems = keep(store, None, inline("a.txt", path="/etc/passwd"))
    assert (store.objects[stored[0].key].body, problems) == (b"hello", [])


def test_an_empty_file_is_a_file(store: FakeFileStore, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    stored, problems = keep(store, tmp_path, Artifact(name="empty", mime="a/b", path="empty"), inline("none", b""))
    assert ([file.size for file in stored], problems) == ([0, 0], [])


@pytest.mark.clause("v2.1:deferred:stored")
def test_a_file_that_waits_is_stored_among_those_that_wait_and_marked(store: FakeFileStore, tmp_path: Path) -> None:
    (tmp_path / "draft.docx").write_bytes(b"draft")
    waiting = DeferredArtifact(
        name="draft.docx", path="draft.docx", mime="a/b", reason="needs_editing", expires_hours=1
    )
    (stored,), _ = keep(store, tmp_path, waiting=[waiting])
    assert stored == StoredFile(
        object_id=object_id(CALL_ID, 0),
        key=f"{FOLDER.replace('artifacts', 'deferred')}/{object_id(CALL_ID, 0)}/draft.docx",
        name="draft.docx",
        raw_name="draft.docx",
        mime="a/b",
        size=5,
        index=0,
        deferred=True,
        artifact={
            "name": "draft.docx",
            "mime": "a/b",
            "reason": "needs_editing",
            "next_actions": [],
            "expires_hours": 1,
        },
    )


def test_every_file_has_an_id_of_its_own_and_all_lie_where_the_credentials_reach(
    store: FakeFileStore, tmp_path: Path
) -> None:
    (tmp_path / "c").touch()
    waiting = [DeferredArtifact(name="c", path="c", mime="a/b")]
    stored, _ = keep(store, tmp_path, inline("a"), inline("a"), waiting=waiting)
    assert [file.object_id for file in stored] == [object_id(CALL_ID, index) for index in range(3)]
    assert all(key.startswith(tuple(call_objects_prefixes(USER, CALL_ID))) for key in store.written)


def test_what_nobody_makes_a_file_goes_by_itself(store: FakeFileStore) -> None:
    keep(store, None, inline("a"))
    assert [kept.tags for kept in store.objects.values()] == [{"retention": "unkept"}]


def test_a_retry_stores_the_same_files_again(store: FakeFileStore) -> None:
    first = keep(store, None, inline("a"), inline("b"))
    assert keep(store, None, inline("a"), inline("b")) == first
    assert len(store.objects) == 2


# One bad among good ones


@pytest.mark.clause("v2.1:artifacts:path-inside", "v2.1:artifacts:path-exists")
@pytest.mark.parametrize(
    ("bad", "code", "reason"),
    [
        ({"path": "/etc/passwd"}, ErrorCode.E_INVALID_PATH, "File operation outside allowed directory"),
        ({"path": "../secret"}, ErrorCode.E_INVALID_PATH, "File operation outside allowed directory"),
        ({"path": "folder"}, ErrorCode.E_INVALID_PATH, "File operation outside allowed directory"),
        ({"path": "gone"}, ErrorCode.E_INVALID_ARTIFACT, "The artifact 'gone' cannot be stored: there is no such file"),
        ({"path": "big"}, ErrorCode.E_FILE_TOO_LARGE, "Generated file exceeds processing limits"),
        (
            {"uri": "https://a.example/x"},
            ErrorCode.E_INVALID_ARTIFACT,
            "The artifact 'bad' cannot be stored: it is a link, and links are not followed",
        ),
    ],
)
def test_a_bad_artifact_is_a_problem_beside_the_good_ones(
    store: FakeFileStore, tmp_path: Path, bad: dict[str, str], code: ErrorCode, reason: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "big").write_bytes(bytes(MOST + 1))
    stored, problems = keep(store, tmp_path, inline("one"), Artifact(name="bad", mime="a/b", **bad), inline("two"))
    assert [(file.name, file.index) for file in stored] == [("one", 0), ("two", 2)]
    assert problems == [ArtifactProblem(name="bad", code=code, reason=reason)]
    assert len(store.objects) == 2


@pytest.mark.clause("v2.1:isolation:no-username-no-files")
def test_a_tool_without_a_directory_has_no_files_in_it(store: FakeFileStore) -> None:
    stored, problems = keep(store, None, inline("one"), Artifact(name="bad", mime="a/b", path=f"/tmp/{USER}/x"))
    assert [file.name for file in stored] == ["one"]
    assert [(problem.name, problem.code) for problem in problems] == [("bad", ErrorCode.E_INVALID_PATH)]


def test_a_directory_that_the_tool_took_away_costs_its_files_and_not_the_result(
    store: FakeFileStore, tmp_path: Path
) -> None:
    def gone(path: str, workspace: Path, most: int) -> Any:  # noqa: ANN401 (as the port has it)
        del workspace, most
        raise FileNotFoundError(2, "No such file or directory", path)

    output = ToolOutput(artifacts=[Artifact(name="bad", mime="a/b", path="x"), inline("good")])
    stored, problems = StoreArtifacts(store, gone, MOST)(order(), tmp_path, output)
    assert [file.name for file in stored] == ["good"]
    assert problems == [ArtifactProblem(name="bad", reason="it cannot be read: No such file or directory")]


def test_what_was_no_artifact_before_stays_a_problem(store: FakeFileStore) -> None:
    output = normalize(
        {"structuredContent": {"results": 1, "artifacts": [{"name": "x"}, {"name": "y", "mime": "a/b", "b64": "eHg="}]}}
    )
    stored, problems = StoreArtifacts(store, open_inside, MOST)(order(), None, output)
    assert [file.name for file in stored] == ["y"]
    assert [problem.name for problem in problems] == ["x"]
