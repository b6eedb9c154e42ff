"""The name that a new file gets if names collide, and the content found under each name."""

import io

import pytest

from satchel.adapters.dynamodb.files import DynamoFiles
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.s3_files import S3Files
from satchel.contract import safe_name
from satchel.domain.files import FileRecord, Source
from satchel.domain.ids import SessionId, UserName
from satchel.domain.object_keys import object_key
from satchel.domain.sessions import Session
from tests.integration.aws.factories import first_file, make_file, new_call_id, new_file_key, run_concurrently

LONGEST = "n" * 251 + ".csv"


class FileArea:
    """The files of a user in a session, or in the library, with their content."""

    def __init__(self, store: S3Files, files: DynamoFiles, user: UserName, session_id: SessionId | None) -> None:
        self.store, self.files, self.user, self.session_id = store, files, user, session_id

    def upload(self, raw_name: str, body: bytes = b"uploaded") -> FileRecord:
        return self._save(raw_name, body, Source.UPLOADED, new_file_key())

    def generate(
        self, raw_name: str, body: bytes = b"made", call: str = "", source: Source = Source.GENERATED
    ) -> FileRecord:
        return self._save(raw_name, body, source, call or new_call_id())

    def _save(self, raw_name: str, body: bytes, source: Source, origin: str) -> FileRecord:
        object_id, name = new_file_key(), safe_name(raw_name)
        key = object_key(self.user, "artifacts", object_id, name)
        self.store.put(key, io.BytesIO(body), "text/csv")
        new = make_file(
            self.user, self.session_id, raw_name, name=name, object_id=object_id, key=key, source=source, origin=origin
        )
        return self.files.save(new)

    def fetch(self, name: str, version: int | None = None) -> bytes | None:
        """Return the content of the file with this name: of one version, or of the newest."""
        record = first_file(self.files.list_by_name(self.user, self.session_id, name))
        if record and version:
            record = self.files.get_version(self.user, record.file_key, version)
        return self.store.read(record.key, 1000) if record else None


@pytest.fixture(params=["a session", "the library"])
def area(request: pytest.FixtureRequest, table: Table, store: S3Files, session: Session) -> FileArea:
    session_id = session.session_id if request.param == "a session" else None
    return FileArea(store, DynamoFiles(table), session.user, session_id)


def test_colliding_names_are_numbered_and_keep_their_content(area: FileArea) -> None:
    raw_names = ["a?.csv", "a*.csv", "b/a|.csv", "a_.csv", "a\u200b_.csv"]
    records = [area.upload(raw, raw.encode()) for raw in raw_names]

    assert [record.name for record in records] == ["a_.csv", *(f"a_ ({number}).csv" for number in range(2, 6))]
    assert [area.fetch(record.name) for record in records] == [raw.encode() for raw in raw_names]


def test_repeated_raw_name_gets_its_previous_name(area: FileArea) -> None:
    for raw, body in [("a?.csv", b"1"), ("a*.csv", b"2"), ("a*.csv", b"3"), ("a?.csv", b"4")]:
        area.upload(raw, body)

    assert [area.fetch("a_.csv", version) for version in (1, 2)] == [b"1", b"4"]
    assert [area.fetch("a_ (2).csv", version) for version in (1, 2)] == [b"2", b"3"]


def test_concurrent_colliding_names_are_all_stored(area: FileArea) -> None:
    raw_names = [f"{number}/a.csv" for number in range(6)]
    records = run_concurrently([lambda raw=raw: area.upload(raw, raw.encode()) for raw in raw_names])  # type: ignore[misc]  # a default binds it

    names = [record.name for record in records if isinstance(record, FileRecord)]
    assert sorted(names) == ["a (2).csv", "a (3).csv", "a (4).csv", "a (5).csv", "a (6).csv", "a.csv"]
    assert [area.fetch(name) for name in names] == [raw.encode() for raw in raw_names]


def test_generated_file_does_not_replace_an_upload(area: FileArea) -> None:
    area.upload("a.csv", b"mine")
    generated = [area.generate("a.csv", b"made"), area.generate("a.csv", b"made again")]

    assert [(record.name, record.version) for record in generated] == [("a (2).csv", 1), ("a (2).csv", 2)]
    assert (area.fetch("a.csv"), area.fetch("a (2).csv")) == (b"mine", b"made again")
    assert area.fetch("a (2).csv", 1) == b"made"


def test_files_of_one_call_get_different_names(area: FileArea) -> None:
    generated = [area.generate("a.csv", body, call="c1") for body in (b"1", b"2", b"3")]

    assert [record.name for record in generated] == ["a.csv", "a (2).csv", "a (3).csv"]
    assert [area.fetch(record.name) for record in generated] == [b"1", b"2", b"3"]


def test_used_number_is_skipped(area: FileArea) -> None:
    area.upload("a.csv")
    area.upload("a (2).csv", b"mine")
    generated = area.generate("a.csv")

    assert (generated.name, area.fetch("a (2).csv")) == ("a (3).csv", b"mine")


def test_upload_named_like_a_numbered_file_does_not_replace_it(area: FileArea) -> None:
    area.upload("a.csv")
    area.generate("a.csv", b"made")
    upload = area.upload("a (2).csv", b"mine")

    assert upload.name == "a (2) (2).csv"
    assert (area.fetch("a (2).csv"), area.fetch(upload.name)) == (b"made", b"mine")


@pytest.mark.parametrize("raw_name", [LONGEST, "日" * 83 + "ab.csv", "x" * 300 + ".tar.gz"])
def test_number_replaces_the_end_of_a_name_of_255_bytes(area: FileArea, raw_name: str) -> None:
    generated = [area.generate(raw_name, body, call="c1") for body in (b"1", b"2")]

    assert len(generated[0].name.encode()) == 255
    assert 252 < len(generated[1].name.encode()) <= 255
    assert generated[1].name.endswith(f" (2){raw_name[raw_name.index('.') :]}")
    assert [area.fetch(record.name) for record in generated] == [b"1", b"2"]


@pytest.mark.parametrize(("before", "after"), [("GENERATED", "DEFERRED"), ("DEFERRED", "GENERATED"), ("DEFERRED",) * 2])
def test_generated_and_deferred_files_share_one_name(area: FileArea, before: str, after: str) -> None:
    area.generate("draft.csv", b"1", source=Source[before])
    second = area.generate("draft.csv", b"2", source=Source[after])

    assert (second.name, second.version, second.source) == ("draft.csv", 2, Source[after])
    assert [area.fetch("draft.csv", version) for version in (1, 2)] == [b"1", b"2"]


def test_removal_frees_the_name(area: FileArea) -> None:
    area.files.remove(area.upload("a.csv"))
    generated = area.generate("a.csv")

    assert (generated.name, generated.version) == ("a.csv", 1)
