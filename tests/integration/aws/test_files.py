import pytest

from satchel.adapters.dynamodb.files import DynamoFiles
from satchel.adapters.dynamodb.table import Table
from satchel.domain.errors import InvalidRequest
from satchel.domain.files import FileRecord, NewFile, Source
from satchel.domain.ids import UserName
from satchel.domain.sessions import Session
from tests.integration.aws.factories import START, first_file, make_file, make_session, new_session_id, new_user


@pytest.fixture
def files(table: Table) -> DynamoFiles:
    return DynamoFiles(table)


def as_record(new: NewFile, **changes: object) -> FileRecord:
    return FileRecord.model_validate({**new.model_dump(), "file_key": new.object_id, **changes})


class TestSave:
    def test_new_files_key_is_its_object_id(self, files: DynamoFiles, user: UserName) -> None:
        new = make_file(
            user,
            None,
            "größe.csv",
            description="A table.",
            viewer="data",
            category="input",
            auto_open=True,
            temporary=True,
            expires_at=2_000_000_000,
            info={"rows": 3, "sheets": 1},
        )

        records = files.save(new)

        assert records == as_record(new, version=1)
        assert files.get(user, records.file_key) == records
        assert files.get_version(user, records.file_key, 1) == records

    def test_same_name_becomes_a_new_version(self, files: DynamoFiles, session: Session) -> None:
        first = files.save(make_file(session.user, session.session_id, "a.csv"))
        new = make_file(session.user, session.session_id, "a.csv", size=9)

        second = files.save(new)

        assert second == as_record(new, file_key=first.file_key, version=2)
        assert files.get(session.user, first.file_key) == second
        assert files.get_version(session.user, first.file_key, 1) == first
        assert files.get_version(session.user, first.file_key, 2) == second
        assert files.list(session.user, 10, None).items == [second]

    def test_saving_again_returns_the_same_record(self, files: DynamoFiles, session: Session) -> None:
        new = make_file(session.user, session.session_id, "a.csv")

        assert files.save(new) == files.save(new)
        assert files.list(session.user, 10, None).items == [as_record(new)]

    def test_saving_again_after_a_newer_version_returns_the_same_record(
        self, files: DynamoFiles, session: Session
    ) -> None:
        first = make_file(session.user, session.session_id, "a.csv")
        records = files.save(first)
        newer = files.save(make_file(session.user, session.session_id, "a.csv"))

        assert files.save(first) == records
        assert files.get(session.user, records.file_key) == newer

    def test_saving_again_under_a_numbered_name_returns_the_same_record(
        self, files: DynamoFiles, session: Session
    ) -> None:
        taken = files.save(make_file(session.user, session.session_id, "a?.csv", name="a_.csv"))
        moved = make_file(session.user, session.session_id, "a*.csv", name="a_.csv")
        records = files.save(moved)
        files.remove(taken)

        assert records.name == "a_ (2).csv"
        assert files.save(moved) == records
        assert [file.name for file in files.list_for_session(session.user, session.session_id)] == ["a_ (2).csv"]

    def test_names_are_separate_for_each_session_and_the_library(self, files: DynamoFiles, user: UserName) -> None:
        one, two = new_session_id(), new_session_id()

        records = [files.save(make_file(user, session_id, "a.csv")) for session_id in (one, two, None)]

        assert {(file.name, file.version) for file in records} == {("a.csv", 1)}
        assert len({file.file_key for file in records}) == 3

    def test_names_are_separate_for_each_user(self, files: DynamoFiles) -> None:
        one, two = files.save(make_file(new_user(), None, "a.csv")), files.save(make_file(new_user(), None, "a.csv"))

        assert (one.version, two.version) == (1, 1)
        assert files.get(one.user, two.file_key) is None
        assert files.get_version(one.user, two.file_key, 1) is None


class TestNames:
    def test_colliding_raw_names_are_numbered(self, files: DynamoFiles, session: Session) -> None:
        raw_names = ["a?.csv", "a*.csv", "a|.csv", "a*.csv"]

        records = [files.save(make_file(session.user, session.session_id, raw, name="a_.csv")) for raw in raw_names]

        assert [(file.name, file.version) for file in records] == [
            ("a_.csv", 1),
            ("a_ (2).csv", 1),
            ("a_ (3).csv", 1),
            ("a_ (2).csv", 2),
        ]

    @pytest.mark.parametrize("source", [Source.GENERATED, Source.DEFERRED])
    def test_generated_file_never_takes_the_name_of_an_upload(
        self, files: DynamoFiles, session: Session, source: Source
    ) -> None:
        upload = files.save(make_file(session.user, session.session_id, "a.csv"))

        generated = files.save(make_file(session.user, session.session_id, "a.csv", source=source, origin="call"))

        assert (generated.name, generated.version) == ("a (2).csv", 1)
        assert files.get(session.user, upload.file_key) == upload

    def test_next_call_adds_versions_but_one_call_gets_numbered_names(
        self, files: DynamoFiles, session: Session
    ) -> None:
        def generate(origin: str) -> FileRecord:
            new = make_file(session.user, session.session_id, "a.csv", source=Source.GENERATED, origin=origin)
            return files.save(new)

        records = [generate("call 1"), generate("call 1"), generate("call 2"), generate("call 2")]

        assert [(file.name, file.version) for file in records] == [
            ("a.csv", 1),
            ("a (2).csv", 1),
            ("a.csv", 2),
            ("a (2).csv", 2),
        ]

    def test_upload_becomes_a_version_of_a_generated_file(self, files: DynamoFiles, session: Session) -> None:
        generated = files.save(
            make_file(session.user, session.session_id, "a.csv", source=Source.GENERATED, origin="call")
        )
        upload = files.save(make_file(session.user, session.session_id, "a.csv"))

        assert (upload.file_key, upload.version, upload.source) == (generated.file_key, 2, Source.UPLOADED)


class TestList:
    def test_list_is_newest_first_in_pages(self, files: DynamoFiles, user: UserName) -> None:
        records = [files.save(make_file(user, new_session_id(), f"{number}.csv")) for number in range(5)]

        first = files.list(user, 3, None)
        second = files.list(user, 3, first.cursor)

        assert first.items + second.items == records[::-1]
        assert second.cursor is None

    def test_cursor_of_another_list_is_rejected(self, files: DynamoFiles, user: UserName) -> None:
        with pytest.raises(InvalidRequest):
            files.list(user, 3, "VkVSU0lPTiM=")

    def test_list_for_session_has_its_files_only_newest_first(self, files: DynamoFiles, session: Session) -> None:
        records = [files.save(make_file(session.user, session.session_id, f"{name}.csv")) for name in "bac"]
        files.save(make_file(session.user, None, "library.csv"))
        files.save(make_file(session.user, new_session_id(), "elsewhere.csv"))

        assert files.list_for_session(session.user, session.session_id) == records[::-1]

    def test_list_for_another_users_session_is_empty(self, files: DynamoFiles, session: Session) -> None:
        files.save(make_file(session.user, session.session_id, "a.csv"))

        assert files.list_for_session(new_user(), session.session_id) == []


class TestByName:
    def test_file_of_the_session_comes_first(self, files: DynamoFiles, session: Session) -> None:
        here = files.save(make_file(session.user, session.session_id, "a.csv"))
        files.save(make_file(session.user, new_session_id(), "a.csv"))

        assert first_file(files.list_by_name(session.user, session.session_id, "a.csv")) == here

    def test_newest_file_of_other_sessions_is_found(self, files: DynamoFiles, session: Session) -> None:
        files.save(make_file(session.user, new_session_id(), "a.csv"))
        newest = files.save(make_file(session.user, None, "a.csv"))

        assert first_file(files.list_by_name(session.user, session.session_id, "a.csv")) == newest
        assert first_file(files.list_by_name(session.user, None, "a.csv")) == newest

    def test_other_files_follow_newest_first_each_once(self, files: DynamoFiles, session: Session) -> None:
        generated = [files.save(make_file(session.user, new_session_id(), "a.csv")) for _ in range(12)]
        here = files.save(make_file(session.user, session.session_id, "a.csv"))
        generated.append(files.save(make_file(session.user, None, "a.csv")))

        assert list(files.list_by_name(session.user, session.session_id, "a.csv")) == [here, *generated[::-1]]

    def test_name_prefix_does_not_match(self, files: DynamoFiles, user: UserName) -> None:
        files.save(make_file(user, None, "report#2.csv"))
        files.save(make_file(user, None, "report.csv.bak"))

        assert first_file(files.list_by_name(user, None, "report")) is None
        assert first_file(files.list_by_name(user, None, "report.csv")) is None

    def test_longer_name_is_not_found(self, files: DynamoFiles, user: UserName) -> None:
        expected = files.save(make_file(user, None, "report"))
        files.save(make_file(user, None, "report#z"))

        assert first_file(files.list_by_name(user, None, "report")) == expected

    def test_files_of_another_user_are_not_found(self, files: DynamoFiles, session: Session) -> None:
        files.save(make_file(session.user, session.session_id, "a.csv"))

        assert first_file(files.list_by_name(new_user(), None, "a.csv")) is None
        assert first_file(files.list_by_name(new_user(), make_session(new_user()).session_id, "a.csv")) is None

    def test_newest_version_is_found(self, files: DynamoFiles, session: Session) -> None:
        files.save(make_file(session.user, session.session_id, "a.csv"))
        second = files.save(make_file(session.user, session.session_id, "a.csv"))

        assert first_file(files.list_by_name(session.user, session.session_id, "a.csv")) == second


def test_only_expiring_files_are_in_the_expiry_index(files: DynamoFiles, user: UserName) -> None:
    soon = int(START.timestamp())
    expiring = files.save(make_file(user, None, "a.csv", expires_at=soon))
    files.save(make_file(user, None, "b.csv"))

    items = files.table.client.query(
        TableName=files.table.name,
        IndexName="expiry",
        KeyConditionExpression="expiry_bucket = :files AND expires_at <= :now",
        ExpressionAttributeValues={":files": {"S": "files"}, ":now": {"N": str(soon)}},
    )["Items"]

    assert [item["sk"] for item in items] == [{"S": f"FILE#{expiring.file_key}"}]
