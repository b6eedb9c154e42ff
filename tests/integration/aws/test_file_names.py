"""Which name a file gets, and that under each of them its own bytes are fetched (DESIGN: file names)."""

import io

import pytest

from satchel.adapters.dynamodb.files import DynamoFiles
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.s3_files import S3Files
from satchel.contract import safe_name
from satchel.domain.files import FileRecord, Source
from satchel.domain.ids import FileKey, UserName
from satchel.domain.object_keys import object_key
from satchel.domain.sessions import Session
from tests.integration.aws.makers import a_file, at_once, first, fresh

LONGEST = "n" * 251 + ".csv"


class Shelf:
    """The files of one person in one place, kept with their bytes."""

    def __init__(self, store: S3Files, files: DynamoFiles, user: str, session_id: str | None) -> None:
        self.store, self.files, self.user, self.session_id = store, files, user, session_id

    def upload(self, raw_name: str, body: bytes = b"uploaded") -> FileRecord:
        return self._keep(raw_name, body, Source.UPLOADED, fresh("f"))

    def make(
        self, raw_name: str, body: bytes = b"made", call: str = "", source: Source = Source.GENERATED
    ) -> FileRecord:
        return self._keep(raw_name, body, source, call or fresh("c"))

    def _keep(self, raw_name: str, body: bytes, source: Source, origin: str) -> FileRecord:
        object_id, name = FileKey(fresh("f")), safe_name(raw_name)
        key = object_key(UserName(self.user), "artifacts", object_id, name)
        self.store.put(key, io.BytesIO(body), "text/csv")
        new = a_file(
            self.user, self.session_id, raw_name, name=name, object_id=object_id, key=key, source=source, origin=origin
        )
        return self.files.keep(new)

    def fetch(self, name: str, version: int | None = None) -> bytes | None:
        """Return the bytes behind a name: of the newest version, or of one."""
        record = first(self.files.named(UserName(self.user), self.session_id, name))
        if record and version:
            record = self.files.version(UserName(self.user), record.file_key, version)
        return self.store.read(record.key, 1000) if record else None


@pytest.fixture(params=["a session", "the library"])
def shelf(request: pytest.FixtureRequest, table: Table, store: S3Files, session: Session) -> Shelf:
    session_id = session.session_id if request.param == "a session" else None
    return Shelf(store, DynamoFiles(table), session.user, session_id)


def test_names_that_meet_are_numbered_and_each_has_its_own_bytes(shelf: Shelf) -> None:
    raws = ["a?.csv", "a*.csv", "b/a|.csv", "a_.csv", "a\u200b_.csv"]
    kept = [shelf.upload(raw, raw.encode()) for raw in raws]

    assert [record.name for record in kept] == ["a_.csv", *(f"a_ ({number}).csv" for number in range(2, 6))]
    assert [shelf.fetch(record.name) for record in kept] == [raw.encode() for raw in raws]


def test_a_raw_name_comes_back_to_the_name_that_it_had(shelf: Shelf) -> None:
    for raw, body in [("a?.csv", b"1"), ("a*.csv", b"2"), ("a*.csv", b"3"), ("a?.csv", b"4")]:
        shelf.upload(raw, body)

    assert [shelf.fetch("a_.csv", version) for version in (1, 2)] == [b"1", b"4"]
    assert [shelf.fetch("a_ (2).csv", version) for version in (1, 2)] == [b"2", b"3"]


def test_names_that_meet_at_the_same_moment_are_all_kept(shelf: Shelf) -> None:
    raws = [f"{number}/a.csv" for number in range(6)]
    kept = at_once([lambda raw=raw: shelf.upload(raw, raw.encode()) for raw in raws])  # type: ignore[misc]  # a default binds it

    names = [record.name for record in kept if isinstance(record, FileRecord)]
    assert sorted(names) == ["a (2).csv", "a (3).csv", "a (4).csv", "a (5).csv", "a (6).csv", "a.csv"]
    assert [shelf.fetch(name) for name in names] == [raw.encode() for raw in raws]


def test_an_upload_keeps_its_name_and_bytes_from_what_tools_make(shelf: Shelf) -> None:
    shelf.upload("a.csv", b"mine")
    made = [shelf.make("a.csv", b"made"), shelf.make("a.csv", b"made again")]

    assert [(record.name, record.version) for record in made] == [("a (2).csv", 1), ("a (2).csv", 2)]
    assert (shelf.fetch("a.csv"), shelf.fetch("a (2).csv")) == (b"mine", b"made again")
    assert shelf.fetch("a (2).csv", 1) == b"made"


def test_two_files_of_one_call_never_share_a_name(shelf: Shelf) -> None:
    made = [shelf.make("a.csv", body, call="c1") for body in (b"1", b"2", b"3")]

    assert [record.name for record in made] == ["a.csv", "a (2).csv", "a (3).csv"]
    assert [shelf.fetch(record.name) for record in made] == [b"1", b"2", b"3"]


def test_a_number_that_is_taken_is_passed_over(shelf: Shelf) -> None:
    shelf.upload("a.csv")
    shelf.upload("a (2).csv", b"mine")
    made = shelf.make("a.csv")

    assert (made.name, shelf.fetch("a (2).csv")) == ("a (3).csv", b"mine")


def test_an_upload_that_is_called_like_a_numbered_file_does_not_replace_it(shelf: Shelf) -> None:
    shelf.upload("a.csv")
    shelf.make("a.csv", b"made")
    upload = shelf.upload("a (2).csv", b"mine")

    assert upload.name == "a (2) (2).csv"
    assert (shelf.fetch("a (2).csv"), shelf.fetch(upload.name)) == (b"made", b"mine")


@pytest.mark.parametrize("raw_name", [LONGEST, "日" * 83 + "ab.csv", "x" * 300 + ".tar.gz"])
def test_the_number_of_a_name_of_255_bytes_takes_the_place_of_its_end(shelf: Shelf, raw_name: str) -> None:
    made = [shelf.make(raw_name, body, call="c1") for body in (b"1", b"2")]

    assert len(made[0].name.encode()) == 255
    assert 252 < len(made[1].name.encode()) <= 255
    assert made[1].name.endswith(f" (2){raw_name[raw_name.index('.') :]}")
    assert [shelf.fetch(record.name) for record in made] == [b"1", b"2"]


@pytest.mark.parametrize(("before", "after"), [("GENERATED", "DEFERRED"), ("DEFERRED", "GENERATED"), ("DEFERRED",) * 2])
def test_what_waits_and_what_was_made_go_on_under_one_name(shelf: Shelf, before: str, after: str) -> None:
    shelf.make("draft.csv", b"1", source=Source[before])
    second = shelf.make("draft.csv", b"2", source=Source[after])

    assert (second.name, second.version, second.source) == ("draft.csv", 2, Source[after])
    assert [shelf.fetch("draft.csv", version) for version in (1, 2)] == [b"1", b"2"]


def test_a_name_is_free_again_when_its_file_is_removed(shelf: Shelf) -> None:
    shelf.files.remove(shelf.upload("a.csv"))
    made = shelf.make("a.csv")

    assert (made.name, made.version) == ("a.csv", 1)
