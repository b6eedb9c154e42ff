import pytest

from satchel.adapters.dynamodb.files import DynamoFiles
from satchel.adapters.dynamodb.table import Table
from satchel.domain.files import FileRecord
from satchel.domain.sessions import Session
from tests.integration.aws.factories import first_file, make_file, run_concurrently

UPLOADS = 10


@pytest.fixture
def files(table: Table) -> DynamoFiles:
    return DynamoFiles(table)


def upload(files: DynamoFiles, session: Session, name: str = "a.csv") -> FileRecord:
    return files.save(make_file(session.user, session.session_id, name))


def file_sort_keys(files: DynamoFiles, session: Session) -> list[str]:
    """Return the sort keys of all items of the user's files."""
    user_keys = [str(item["sk"]) for item in files.table.query_all(f"USER#{session.user}", "")]
    session_keys = [str(item["sk"]) for item in files.table.query_all(f"SESSION#{session.session_id}", "")]
    return [sk for sk in user_keys + session_keys if not sk.startswith(("SESSION#", "USAGE#", "QUOTA"))]


def test_concurrent_uploads_of_one_name_are_versions_of_one_file(files: DynamoFiles, session: Session) -> None:
    results = run_concurrently([lambda: upload(files, session)] * UPLOADS)

    records = [result for result in results if isinstance(result, FileRecord)]
    assert sorted(record.version for record in records) == list(range(1, UPLOADS + 1))
    assert len({record.file_key for record in records}) == 1
    [newest] = files.list_for_session(session.user, session.session_id)
    assert newest.version == UPLOADS
    assert newest in records


def test_concurrent_colliding_raw_names_get_different_names(files: DynamoFiles, session: Session) -> None:
    raw_names = ["a?.csv", "a*.csv", "a|.csv", "a<.csv"]

    results = run_concurrently(
        [
            lambda raw=raw: files.save(make_file(session.user, session.session_id, raw, name="a_.csv"))  # type: ignore[misc]  # a bound default
            for raw in raw_names
        ],
    )

    assert {(record.name, record.version) for record in results if isinstance(record, FileRecord)} == {
        ("a_.csv", 1),
        ("a_ (2).csv", 1),
        ("a_ (3).csv", 1),
        ("a_ (4).csv", 1),
    }


def test_object_saved_concurrently_is_one_file(files: DynamoFiles, session: Session) -> None:
    new = make_file(session.user, session.session_id, "a.csv")

    results = run_concurrently([lambda: files.save(new)] * 4)

    assert results == files.list(session.user, 10, None).items * 4


def test_remove_deletes_all_items_and_returns_the_keys_of_all_versions(files: DynamoFiles, session: Session) -> None:
    before = file_sort_keys(files, session)
    versions = [upload(files, session) for _ in range(3)]

    keys = files.remove(versions[-1])

    assert sorted(keys) == sorted(version.key for version in versions)
    assert file_sort_keys(files, session) == before == []
    assert files.get(session.user, versions[0].file_key) is None
    assert files.get_version(session.user, versions[0].file_key, 1) is None
    assert first_file(files.list_by_name(session.user, session.session_id, "a.csv")) is None
    assert files.list_for_session(session.user, session.session_id) == []


def test_remove_deletes_more_versions_than_one_transaction_holds(files: DynamoFiles, session: Session) -> None:
    versions = [upload(files, session) for _ in range(60)]

    keys = files.remove(versions[0])

    assert sorted(keys) == sorted(version.key for version in versions)
    assert file_sort_keys(files, session) == []


def test_second_remove_does_nothing(files: DynamoFiles, session: Session) -> None:
    record = upload(files, session)
    files.remove(record)

    assert files.remove(record) == []


def test_removed_name_starts_at_version_one(files: DynamoFiles, session: Session) -> None:
    first = upload(files, session)
    files.remove(first)

    second = upload(files, session)

    assert (second.name, second.version) == ("a.csv", 1)
    assert second.file_key != first.file_key


def test_remove_does_not_touch_other_files(files: DynamoFiles, session: Session) -> None:
    records = [upload(files, session, "b.csv"), upload(files, session, "a.csv.bak")]

    files.remove(upload(files, session))

    assert sorted(file.name for file in files.list_for_session(session.user, session.session_id)) == [
        "a.csv.bak",
        "b.csv",
    ]
    assert [files.get_version(session.user, file.file_key, 1) for file in records] == records


def test_remove_of_an_old_record_does_not_touch_its_names_new_file(files: DynamoFiles, session: Session) -> None:
    old = upload(files, session)
    files.remove(old)
    new = upload(files, session)

    files.remove(old)

    assert first_file(files.list_by_name(session.user, session.session_id, "a.csv")) == new
    assert files.list_for_session(session.user, session.session_id) == [new]


@pytest.mark.parametrize("attempt", range(4))
def test_upload_during_a_removal_is_complete_or_absent(files: DynamoFiles, session: Session, attempt: int) -> None:
    del attempt
    old = upload(files, session)

    _, uploaded = run_concurrently([lambda: files.remove(old), lambda: upload(files, session)])

    assert isinstance(uploaded, FileRecord)
    known = files.get(session.user, uploaded.file_key)
    assert known in (None, uploaded)
    assert files.get_version(session.user, uploaded.file_key, uploaded.version) == known
    assert files.list_for_session(session.user, session.session_id) == ([uploaded] if known else [])


def test_views_count_until_they_are_taken(files: DynamoFiles, session: Session) -> None:
    record = upload(files, session, "photo.png")
    before = files.usage(session.user)
    for key in ("a/1", "a/1", "a/2"):
        files.add_view(record, key, 100)
    assert files.usage(session.user).bytes == before.bytes + 200
    assert files.take_views(record) == ["a/1", "a/2"]
    assert files.take_views(record) == []
    assert files.usage(session.user) == before
