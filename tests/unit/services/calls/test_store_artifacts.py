"""Storing the artifacts of a call: one bad artifact never fails the others."""

from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from satchel.contract import Artifact, ArtifactProblem, DeferredArtifact, ErrorCode, ToolOutput, normalize
from satchel.domain.calls import MAX_INLINE_BYTES, StoredFile
from satchel.domain.ids import object_id
from satchel.domain.object_keys import call_objects_prefixes
from satchel.services.calls.store_artifacts import StoreArtifacts
from tests.fakes.runners import open_artifact
from tests.fakes.storage import FakeFileStore
from tests.unit.services.orders import CALL_ID, USER, order

MAX_BYTES = 1000
FOLDER = f"{USER}/artifacts/20240827"
Stored = tuple[list[StoredFile], list[ArtifactProblem]]


@pytest.fixture
def store() -> FakeFileStore:
    return FakeFileStore()


def store_artifacts(
    store: FakeFileStore, workspace: Path | None, *artifacts: Artifact, deferred: list[DeferredArtifact] | None = None
) -> Stored:
    output = ToolOutput(artifacts=list(artifacts), deferred_artifacts=deferred or [])
    return StoreArtifacts(store, open_artifact, MAX_BYTES)(order(), workspace, output)


def b64(body: bytes) -> str:
    return b64encode(body).decode()


def inline(name: str, body: bytes = b"hello", **fields: Any) -> Artifact:  # noqa: ANN401 (any field of an artifact)
    return Artifact(name=name, mime="text/plain", b64=b64(body), **fields)


@pytest.mark.clause("v2:artifacts:persisted")
def test_base64_is_decoded_and_stored_under_the_prefix_of_the_call(store: FakeFileStore) -> None:
    stored, problems = store_artifacts(store, None, inline("../a.txt", description="Greeting", auto_open=True))
    key = f"{FOLDER}/{object_id(CALL_ID, 0)}/a.txt"
    assert stored == [
        StoredFile(
            object_id=object_id(CALL_ID, 0),
            key=key,
            index=0,
            artifact=inline("../a.txt", description="Greeting", auto_open=True),
        )
    ]
    assert stored[0].model_dump(mode="json")["artifact"] == {
        "name": "../a.txt",
        "mime": "text/plain",
        "size": 5,
        "description": "Greeting",
        "auto_open": True,
    }
    assert problems == []
    assert (store.objects[key].body, store.objects[key].mime) == (b"hello", "text/plain")


@pytest.mark.clause("v5:flow:stored")
def test_inline_text_is_stored(store: FakeFileStore) -> None:
    stored, _ = store_artifacts(store, None, Artifact(name="a.md", mime="text/markdown", content="# Ü"))
    assert store.objects[stored[0].key].body == "# Ü".encode()
    assert "content" not in stored[0].model_dump(mode="json")["artifact"]


def test_only_short_inline_text_is_marked_as_inline(store: FakeFileStore) -> None:
    short, long = "x" * MAX_INLINE_BYTES, "x" * (MAX_INLINE_BYTES + 1)
    texts = [Artifact(name="a", mime="text/plain", content=text) for text in (short, long)]
    stored, _ = store_artifacts(store, None, *texts, inline("b"))
    assert [file.inline for file in stored] == [True, False, False]


def test_files_past_the_maximum_are_not_stored_and_each_is_reported(store: FakeFileStore) -> None:
    stored, problems = store_artifacts(store, None, *(inline(f"{number}.txt") for number in range(1_000)))
    assert len(stored) == len(store.objects) == 100
    assert [problem.name for problem in problems] == [f"{number}.txt" for number in range(100, 1_000)]
    assert {problem.reason for problem in problems} == {"not stored: a call can return at most 100 files"}


def test_undeclared_files_come_last_and_are_marked(store: FakeFileStore, tmp_path: Path) -> None:
    (tmp_path / "found.csv").touch()
    undeclared = Artifact(name="found.csv", mime="text/csv", path="found.csv")
    gone = undeclared.model_copy(update={"name": "gone.csv", "path": "gone.csv"})
    output = ToolOutput(artifacts=[inline("own")])
    stored, problems = StoreArtifacts(store, open_artifact, MAX_BYTES)(order(), tmp_path, output, [undeclared, gone])
    assert [(file.artifact.name, file.index, file.declared) for file in stored] == [
        ("own", 0, True),
        ("found.csv", 1, False),
    ]
    assert [problem.name for problem in problems] == ["gone.csv"]


@pytest.mark.clause("v2.1:artifacts:path", "v2.1:artifacts:size")
def test_file_is_read_from_the_workspace(store: FakeFileStore, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(b"<p>")
    stored, _ = store_artifacts(
        store, tmp_path, Artifact(name="a.html", mime="text/html", path=str(tmp_path / "a.html"), size=99)
    )
    assert store.objects[stored[0].key].body == b"<p>"
    assert "path" not in stored[0].model_dump(mode="json")["artifact"]


def test_inline_content_takes_precedence_over_a_path(store: FakeFileStore) -> None:
    stored, problems = store_artifacts(store, None, inline("a.txt", path="/etc/passwd"))
    assert (store.objects[stored[0].key].body, problems) == (b"hello", [])


def test_empty_files_are_stored(store: FakeFileStore, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    stored, problems = store_artifacts(
        store, tmp_path, Artifact(name="empty", mime="a/b", path="empty"), inline("none", b"")
    )
    assert ([store.objects[file.key].body for file in stored], problems) == ([b"", b""], [])


@pytest.mark.clause("v2.1:deferred:stored")
def test_deferred_file_is_stored_in_the_deferred_folder(store: FakeFileStore, tmp_path: Path) -> None:
    (tmp_path / "draft.docx").write_bytes(b"draft")
    deferred = DeferredArtifact(
        name="draft.docx", path="draft.docx", mime="a/b", reason="needs_editing", expires_hours=1
    )
    (stored,), _ = store_artifacts(store, tmp_path, deferred=[deferred])
    assert stored == StoredFile(
        object_id=object_id(CALL_ID, 0),
        key=f"{FOLDER.replace('artifacts', 'deferred')}/{object_id(CALL_ID, 0)}/draft.docx",
        index=0,
        deferred=True,
        artifact=deferred,
    )
    assert store.objects[stored.key].body == b"draft"
    assert stored.model_dump(mode="json")["artifact"] == {
        "name": "draft.docx",
        "mime": "a/b",
        "reason": "needs_editing",
        "next_actions": [],
        "expires_hours": 1,
    }


def test_files_have_distinct_ids_under_the_prefixes_of_the_credentials(store: FakeFileStore, tmp_path: Path) -> None:
    (tmp_path / "c").touch()
    deferred = [DeferredArtifact(name="c", path="c", mime="a/b")]
    stored, _ = store_artifacts(store, tmp_path, inline("a"), inline("a"), deferred=deferred)
    assert [file.object_id for file in stored] == [object_id(CALL_ID, index) for index in range(3)]
    assert all(key.startswith(tuple(call_objects_prefixes(USER, CALL_ID))) for key in store.written)


def test_stored_objects_are_tagged_for_deletion(store: FakeFileStore) -> None:
    store_artifacts(store, None, inline("a"))
    assert [stored.tags for stored in store.objects.values()] == [{"retention": "unkept"}]


def test_retry_stores_the_same_files(store: FakeFileStore) -> None:
    first = store_artifacts(store, None, inline("a"), inline("b"))
    assert store_artifacts(store, None, inline("a"), inline("b")) == first
    assert len(store.objects) == 2


# Bad artifacts


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
            "The artifact 'bad' cannot be stored: its source is a link, and links are not followed",
        ),
    ],
)
def test_bad_artifact_is_a_problem_and_the_others_are_stored(
    store: FakeFileStore, tmp_path: Path, bad: dict[str, str], code: ErrorCode, reason: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "big").write_bytes(bytes(MAX_BYTES + 1))
    stored, problems = store_artifacts(
        store, tmp_path, inline("one"), Artifact(name="bad", mime="a/b", **bad), inline("two")
    )
    assert [(file.artifact.name, file.index) for file in stored] == [("one", 0), ("two", 2)]
    assert problems == [ArtifactProblem(name="bad", code=code, reason=reason)]
    assert len(store.objects) == 2


@pytest.mark.clause("v2.1:isolation:no-username-no-files")
def test_path_without_a_workspace_is_a_problem(store: FakeFileStore) -> None:
    stored, problems = store_artifacts(
        store, None, inline("one"), Artifact(name="bad", mime="a/b", path=f"/tmp/{USER}/x")
    )
    assert [file.artifact.name for file in stored] == ["one"]
    assert [(problem.name, problem.code) for problem in problems] == [("bad", ErrorCode.E_INVALID_PATH)]


def test_removed_directory_is_a_problem_and_the_others_are_stored(store: FakeFileStore, tmp_path: Path) -> None:
    def gone(path: str, workspace: Path, max_bytes: int) -> Any:  # noqa: ANN401 (as the port has it)
        del workspace, max_bytes
        raise FileNotFoundError(2, "No such file or directory", path)

    output = ToolOutput(artifacts=[Artifact(name="bad", mime="a/b", path="x"), inline("good")])
    stored, problems = StoreArtifacts(store, gone, MAX_BYTES)(order(), tmp_path, output)
    assert [file.artifact.name for file in stored] == ["good"]
    assert problems == [ArtifactProblem(name="bad", reason="The file cannot be read: No such file or directory")]


def test_problems_of_the_output_are_kept(store: FakeFileStore) -> None:
    output = normalize(
        {"structuredContent": {"results": 1, "artifacts": [{"name": "x"}, {"name": "y", "mime": "a/b", "b64": "eHg="}]}}
    )
    stored, problems = StoreArtifacts(store, open_artifact, MAX_BYTES)(order(), None, output)
    assert [file.artifact.name for file in stored] == ["y"]
    assert [problem.name for problem in problems] == ["x"]
