import pytest

from satchel.adapters.dynamodb.files import DynamoFiles
from satchel.adapters.dynamodb.table import Table
from satchel.domain.errors import InvalidRequest
from satchel.domain.files import FileRecord, NewFile, Source
from satchel.domain.ids import UserName
from satchel.domain.sessions import Session
from tests.integration.aws.makers import START, a_file, a_session, first, fresh, someone


@pytest.fixture
def files(table: Table) -> DynamoFiles:
    return DynamoFiles(table)


def as_record(new: NewFile, **given: object) -> FileRecord:
    return FileRecord.model_validate({**new.model_dump(), "file_key": new.object_id, **given})


class TestKeep:
    def test_makes_a_file_whose_key_is_that_of_its_first_object(self, files: DynamoFiles, user: str) -> None:
        new = a_file(
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

        kept = files.keep(new)

        assert kept == as_record(new, version=1)
        assert files.get(UserName(user), kept.file_key) == kept
        assert files.version(UserName(user), kept.file_key, 1) == kept

    def test_makes_the_same_name_a_new_version(self, files: DynamoFiles, session: Session) -> None:
        first = files.keep(a_file(session.user, session.session_id, "a.csv"))
        new = a_file(session.user, session.session_id, "a.csv", size=9)

        second = files.keep(new)

        assert second == as_record(new, file_key=first.file_key, version=2)
        assert files.get(session.user, first.file_key) == second
        assert files.version(session.user, first.file_key, 1) == first
        assert files.version(session.user, first.file_key, 2) == second
        assert files.list(session.user, 10, None).items == [second]

    def test_again_is_the_same_record(self, files: DynamoFiles, session: Session) -> None:
        new = a_file(session.user, session.session_id, "a.csv")

        assert files.keep(new) == files.keep(new)
        assert files.list(session.user, 10, None).items == [as_record(new)]

    def test_again_is_the_same_record_also_when_a_newer_version_came_between(
        self, files: DynamoFiles, session: Session
    ) -> None:
        first = a_file(session.user, session.session_id, "a.csv")
        kept = files.keep(first)
        newer = files.keep(a_file(session.user, session.session_id, "a.csv"))

        assert files.keep(first) == kept
        assert files.get(session.user, kept.file_key) == newer

    def test_again_is_the_same_record_also_under_the_name_that_it_had_to_take(
        self, files: DynamoFiles, session: Session
    ) -> None:
        taken = files.keep(a_file(session.user, session.session_id, "a?.csv", name="a_.csv"))
        moved = a_file(session.user, session.session_id, "a*.csv", name="a_.csv")
        kept = files.keep(moved)
        files.remove(taken)

        assert kept.name == "a_ (2).csv"
        assert files.keep(moved) == kept
        assert [file.name for file in files.of_session(session.user, session.session_id)] == ["a_ (2).csv"]

    def test_gives_each_session_and_the_library_names_of_their_own(self, files: DynamoFiles, user: str) -> None:
        one, two = fresh("s"), fresh("s")

        kept = [files.keep(a_file(user, session_id, "a.csv")) for session_id in (one, two, None)]

        assert {(file.name, file.version) for file in kept} == {("a.csv", 1)}
        assert len({file.file_key for file in kept}) == 3

    def test_gives_people_names_of_their_own(self, files: DynamoFiles) -> None:
        one, two = files.keep(a_file(someone(), None, "a.csv")), files.keep(a_file(someone(), None, "a.csv"))

        assert (one.version, two.version) == (1, 1)
        assert files.get(one.user, two.file_key) is None
        assert files.version(one.user, two.file_key, 1) is None


class TestNames:
    def test_of_two_raw_names_that_meet_the_second_is_numbered(self, files: DynamoFiles, session: Session) -> None:
        raws = ["a?.csv", "a*.csv", "a|.csv", "a*.csv"]

        kept = [files.keep(a_file(session.user, session.session_id, raw, name="a_.csv")) for raw in raws]

        assert [(file.name, file.version) for file in kept] == [
            ("a_.csv", 1),
            ("a_ (2).csv", 1),
            ("a_ (3).csv", 1),
            ("a_ (2).csv", 2),
        ]

    @pytest.mark.parametrize("source", [Source.GENERATED, Source.DEFERRED])
    def test_of_uploads_are_never_taken_by_what_tools_make(
        self, files: DynamoFiles, session: Session, source: Source
    ) -> None:
        upload = files.keep(a_file(session.user, session.session_id, "a.csv"))

        made = files.keep(a_file(session.user, session.session_id, "a.csv", source=source, origin="call"))

        assert (made.name, made.version) == ("a (2).csv", 1)
        assert files.get(session.user, upload.file_key) == upload

    def test_of_what_tools_made_go_on_with_the_next_call_but_not_within_one(
        self, files: DynamoFiles, session: Session
    ) -> None:
        def made(origin: str) -> FileRecord:
            new = a_file(session.user, session.session_id, "a.csv", source=Source.GENERATED, origin=origin)
            return files.keep(new)

        kept = [made("call 1"), made("call 1"), made("call 2"), made("call 2")]

        assert [(file.name, file.version) for file in kept] == [
            ("a.csv", 1),
            ("a (2).csv", 1),
            ("a.csv", 2),
            ("a (2).csv", 2),
        ]

    def test_of_what_tools_made_are_taken_on_by_an_upload(self, files: DynamoFiles, session: Session) -> None:
        made = files.keep(a_file(session.user, session.session_id, "a.csv", source=Source.GENERATED, origin="call"))
        upload = files.keep(a_file(session.user, session.session_id, "a.csv"))

        assert (upload.file_key, upload.version, upload.source) == (made.file_key, 2, Source.UPLOADED)


class TestList:
    def test_is_newest_first_in_pages(self, files: DynamoFiles, user: str) -> None:
        kept = [files.keep(a_file(user, fresh("s"), f"{number}.csv")) for number in range(5)]

        first = files.list(UserName(user), 3, None)
        second = files.list(UserName(user), 3, first.cursor)

        assert first.items + second.items == kept[::-1]
        assert second.cursor is None

    def test_refuses_a_cursor_that_it_did_not_give(self, files: DynamoFiles, user: str) -> None:
        with pytest.raises(InvalidRequest):
            files.list(UserName(user), 3, "VkVSU0lPTiM=")

    def test_of_a_session_has_its_files_alone_newest_first(self, files: DynamoFiles, session: Session) -> None:
        kept = [files.keep(a_file(session.user, session.session_id, f"{name}.csv")) for name in "bac"]
        files.keep(a_file(session.user, None, "library.csv"))
        files.keep(a_file(session.user, fresh("s"), "elsewhere.csv"))

        assert files.of_session(session.user, session.session_id) == kept[::-1]

    def test_of_somebody_elses_session_is_empty(self, files: DynamoFiles, session: Session) -> None:
        files.keep(a_file(session.user, session.session_id, "a.csv"))

        assert files.of_session(UserName(someone()), session.session_id) == []


class TestByName:
    def test_looks_in_the_session_before_all_else(self, files: DynamoFiles, session: Session) -> None:
        here = files.keep(a_file(session.user, session.session_id, "a.csv"))
        files.keep(a_file(session.user, fresh("s"), "a.csv"))

        assert first(files.named(session.user, session.session_id, "a.csv")) == here

    def test_finds_the_newest_of_the_others(self, files: DynamoFiles, session: Session) -> None:
        files.keep(a_file(session.user, fresh("s"), "a.csv"))
        newest = files.keep(a_file(session.user, None, "a.csv"))

        assert first(files.named(session.user, session.session_id, "a.csv")) == newest
        assert first(files.named(session.user, None, "a.csv")) == newest

    def test_gives_the_others_as_well_each_once_for_when_the_first_has_expired(
        self, files: DynamoFiles, session: Session
    ) -> None:
        made = [files.keep(a_file(session.user, fresh("s"), "a.csv")) for _ in range(12)]
        here = files.keep(a_file(session.user, session.session_id, "a.csv"))
        made.append(files.keep(a_file(session.user, None, "a.csv")))

        assert list(files.named(session.user, session.session_id, "a.csv")) == [here, *made[::-1]]

    def test_finds_no_name_that_merely_begins_so(self, files: DynamoFiles, user: str) -> None:
        files.keep(a_file(user, None, "report#2.csv"))
        files.keep(a_file(user, None, "report.csv.bak"))

        assert first(files.named(UserName(user), None, "report")) is None
        assert first(files.named(UserName(user), None, "report.csv")) is None

    def test_is_not_led_astray_by_a_longer_name(self, files: DynamoFiles, user: str) -> None:
        meant = files.keep(a_file(user, None, "report"))
        files.keep(a_file(user, None, "report#z"))

        assert first(files.named(UserName(user), None, "report")) == meant

    def test_finds_nothing_of_somebody_else(self, files: DynamoFiles, session: Session) -> None:
        files.keep(a_file(session.user, session.session_id, "a.csv"))

        assert first(files.named(UserName(someone()), None, "a.csv")) is None
        assert first(files.named(UserName(someone()), a_session(someone()).session_id, "a.csv")) is None

    def test_finds_the_newest_version(self, files: DynamoFiles, session: Session) -> None:
        files.keep(a_file(session.user, session.session_id, "a.csv"))
        second = files.keep(a_file(session.user, session.session_id, "a.csv"))

        assert first(files.named(session.user, session.session_id, "a.csv")) == second


def test_what_expires_stands_in_the_index_and_what_does_not_stays_out(files: DynamoFiles, user: str) -> None:
    soon = int(START.timestamp())
    expiring = files.keep(a_file(user, None, "a.csv", expires_at=soon))
    files.keep(a_file(user, None, "b.csv"))

    found = files.table.client.query(
        TableName=files.table.name,
        IndexName="expiry",
        KeyConditionExpression="expiry_bucket = :files AND expires_at <= :now",
        ExpressionAttributeValues={":files": {"S": "files"}, ":now": {"N": str(soon)}},
    )["Items"]

    assert [item["sk"] for item in found] == [{"S": f"FILE#{expiring.file_key}"}]
