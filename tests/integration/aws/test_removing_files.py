import pytest

from satchel.adapters.dynamodb.files import DynamoFiles
from satchel.adapters.dynamodb.table import Table
from satchel.domain.files import FileRecord
from satchel.domain.sessions import Session
from tests.integration.aws.makers import a_file, at_once, first

UPLOADS = 10


@pytest.fixture
def files(table: Table) -> DynamoFiles:
    return DynamoFiles(table)


def upload(files: DynamoFiles, session: Session, name: str = "a.csv") -> FileRecord:
    return files.keep(a_file(session.user, session.session_id, name))


def everything_about(files: DynamoFiles, session: Session) -> list[str]:
    """The sort keys of all that the table knows of the person's files."""
    of_person = [str(item["sk"]) for item in files.table.query_all(f"USER#{session.user}", "")]
    of_session = [str(item["sk"]) for item in files.table.query_all(f"SESSION#{session.session_id}", "")]
    return [sk for sk in of_person + of_session if not sk.startswith(("SESSION#", "USAGE#"))]


def test_many_uploads_of_one_name_at_once_are_the_versions_of_one_file(files: DynamoFiles, session: Session) -> None:
    came = at_once([lambda: upload(files, session)] * UPLOADS)

    records = [result for result in came if isinstance(result, FileRecord)]
    assert sorted(record.version for record in records) == list(range(1, UPLOADS + 1))
    assert len({record.file_key for record in records}) == 1
    [newest] = files.of_session(session.user, session.session_id)
    assert newest.version == UPLOADS
    assert newest in records


def test_raw_names_that_meet_at_once_get_a_name_each(files: DynamoFiles, session: Session) -> None:
    raws = ["a?.csv", "a*.csv", "a|.csv", "a<.csv"]

    came = at_once(
        [
            lambda raw=raw: files.keep(a_file(session.user, session.session_id, raw, name="a_.csv"))  # type: ignore[misc]  # a bound default
            for raw in raws
        ],
    )

    assert {(record.name, record.version) for record in came if isinstance(record, FileRecord)} == {
        ("a_.csv", 1),
        ("a_ (2).csv", 1),
        ("a_ (3).csv", 1),
        ("a_ (4).csv", 1),
    }


def test_the_same_object_kept_at_once_is_one_file(files: DynamoFiles, session: Session) -> None:
    new = a_file(session.user, session.session_id, "a.csv")

    came = at_once([lambda: files.keep(new)] * 4)

    assert came == files.list(session.user, 10, None).items * 4


def test_removing_leaves_nothing_and_names_the_objects_of_all_versions(files: DynamoFiles, session: Session) -> None:
    before = everything_about(files, session)
    versions = [upload(files, session) for _ in range(3)]

    keys = files.remove(versions[-1])

    assert sorted(keys) == sorted(version.key for version in versions)
    assert everything_about(files, session) == before == []
    assert files.get(session.user, versions[0].file_key) is None
    assert files.version(session.user, versions[0].file_key, 1) is None
    assert first(files.named(session.user, session.session_id, "a.csv")) is None
    assert files.of_session(session.user, session.session_id) == []


def test_removing_takes_more_versions_than_one_transaction(files: DynamoFiles, session: Session) -> None:
    versions = [upload(files, session) for _ in range(60)]

    keys = files.remove(versions[0])

    assert sorted(keys) == sorted(version.key for version in versions)
    assert everything_about(files, session) == []


def test_removing_twice_is_no_error(files: DynamoFiles, session: Session) -> None:
    record = upload(files, session)
    files.remove(record)

    assert files.remove(record) == []


def test_a_removed_name_begins_anew(files: DynamoFiles, session: Session) -> None:
    first = upload(files, session)
    files.remove(first)

    second = upload(files, session)

    assert (second.name, second.version) == ("a.csv", 1)
    assert second.file_key != first.file_key


def test_removing_spares_all_other_files(files: DynamoFiles, session: Session) -> None:
    kept = [upload(files, session, "b.csv"), upload(files, session, "a.csv.bak")]

    files.remove(upload(files, session))

    assert sorted(file.name for file in files.of_session(session.user, session.session_id)) == ["a.csv.bak", "b.csv"]
    assert [files.version(session.user, file.file_key, 1) for file in kept] == kept


def test_removing_by_an_old_record_spares_the_file_that_has_the_name_now(files: DynamoFiles, session: Session) -> None:
    old = upload(files, session)
    files.remove(old)
    new = upload(files, session)

    files.remove(old)

    assert first(files.named(session.user, session.session_id, "a.csv")) == new
    assert files.of_session(session.user, session.session_id) == [new]


@pytest.mark.parametrize("attempt", range(4))
def test_an_upload_that_meets_a_removal_either_stays_whole_or_goes_whole(
    files: DynamoFiles, session: Session, attempt: int
) -> None:
    del attempt
    old = upload(files, session)

    _, uploaded = at_once([lambda: files.remove(old), lambda: upload(files, session)])

    assert isinstance(uploaded, FileRecord)
    known = files.get(session.user, uploaded.file_key)
    assert known in (None, uploaded)
    assert files.version(session.user, uploaded.file_key, uploaded.version) == known
    assert files.of_session(session.user, session.session_id) == ([uploaded] if known else [])
