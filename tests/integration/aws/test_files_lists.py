"""File lists with bounded cost, their filters, and the usage counters."""

import json
from collections.abc import Callable, Iterator

import pytest

from satchel.adapters.dynamodb.files import DynamoFiles
from satchel.adapters.dynamodb.table import Table
from satchel.domain.errors import InvalidRequest
from satchel.domain.files import FileFilter, FileRecord, Source, Usage
from satchel.domain.ids import UserName
from satchel.domain.sessions import Session
from tests.integration.aws.factories import make_file, make_session, new_user, run_concurrently, store_many_files
from tests.integration.aws.recorded_requests import record_requests

MANY = 600


@pytest.fixture
def files(table: Table) -> DynamoFiles:
    return DynamoFiles(table)


def pages(files: DynamoFiles, user: UserName, limit: int, file_filter: FileFilter) -> Iterator[list[FileRecord]]:
    cursor: str | None = None
    while True:
        page = files.list(user, limit, cursor, file_filter)
        yield page.items
        if (cursor := page.cursor) is None:
            return


def file_names(files: DynamoFiles, user: UserName, limit: int, file_filter: FileFilter) -> list[str]:
    return [file.name for page in pages(files, user, limit, file_filter) for file in page]


@pytest.fixture(scope="module")
def owner(table: Table) -> UserName:
    return store_many_files(table, MANY, with_pointers=True)


class TestManyFiles:
    def test_page_of_ten_thousand_files_costs_one_query(self, files: DynamoFiles, table: Table) -> None:
        user = store_many_files(table, 10_000, with_pointers=False)
        first = files.list(user, 50, None)

        with record_requests(files.table.client) as requests:
            second = files.list(user, 50, first.cursor)

        assert [file.name for file in second.items] == [f"{9949 - n:05d}.csv" for n in range(50)]
        [(name, params)] = requests
        assert (name, params["Limit"], "FilterExpression" in params) == ("Query", 50, False)

    @pytest.mark.parametrize(
        ("make", "operations"),
        [
            (lambda _: FileFilter(), ["Query"]),
            (lambda session_id: FileFilter(session_id=session_id), ["Query", "BatchGetItem"]),
            (lambda _: FileFilter(name_prefix="00"), ["Query", "BatchGetItem"]),
        ],
        ids=["of all", "of a session", "by name"],
    )
    def test_page_costs_one_bounded_query(
        self, files: DynamoFiles, owner: UserName, make: Callable[[str], FileFilter], operations: list[str]
    ) -> None:
        fields = make(files.list(owner, 1, None).items[0].session_id or "")
        cursor: str | None = None
        for _ in range(3):
            with record_requests(files.table.client) as requests:
                page = files.list(owner, 50, cursor, fields)
            assert len(page.items) == 50
            assert [name for name, _ in requests] == operations
            assert requests[0][1]["Limit"] == 50
            cursor = page.cursor

    def test_filter_without_an_index_examines_500_records_per_page(self, files: DynamoFiles, owner: UserName) -> None:
        with record_requests(files.table.client) as requests:
            report_pages = list(pages(files, owner, 50, FileFilter(category="report")))

        assert [[file.name for file in page] for page in report_pages] == [
            ["00500.csv", "00400.csv", "00300.csv", "00200.csv", "00100.csv"],
            ["00000.csv"],
        ]
        assert [(name, params["Limit"]) for name, params in requests] == [("Query", 500)] * 2

    def test_every_file_is_on_exactly_one_page(self, files: DynamoFiles, owner: UserName) -> None:
        assert file_names(files, owner, 100, FileFilter()) == [f"{n:05d}.csv" for n in reversed(range(MANY))]


@pytest.fixture(scope="module")
def mixed(table: Table) -> Session:
    """A session with four files of a user, who has a fifth one without a session."""
    files, session = DynamoFiles(table), make_session(new_user())
    user, here = session.user, session.session_id
    files.save(make_file(user, here, "b.csv"))
    files.save(make_file(user, here, "a.html", source=Source.GENERATED, category="report", origin="c1"))
    files.save(make_file(user, here, "a.csv", category="dataset"))
    files.save(make_file(user, here, "ab.csv", source=Source.DEFERRED, category="report", origin="c2"))
    files.save(make_file(user, None, "a b.csv"))
    return session


class TestFilters:
    @pytest.mark.parametrize("limit", [1, 100])
    @pytest.mark.parametrize(
        ("fields", "names"),
        [
            ({}, ["a b.csv", "ab.csv", "a.csv", "a.html", "b.csv"]),
            ({"source": Source.UPLOADED}, ["a b.csv", "a.csv", "b.csv"]),
            ({"category": "report"}, ["ab.csv", "a.html"]),
            ({"category": "report", "source": Source.DEFERRED}, ["ab.csv"]),
            ({"category": "drafts"}, []),
            ({"name_prefix": "a"}, ["a b.csv", "a.csv", "a.html", "ab.csv"]),
            ({"name_prefix": "a.", "source": Source.GENERATED}, ["a.html"]),
            ({"name_prefix": "A"}, []),
            ({"name_prefix": "a.csv/"}, []),
        ],
    )
    def test_list_contains_exactly_the_matching_files(
        self, files: DynamoFiles, mixed: Session, limit: int, fields: dict[str, str], names: list[str]
    ) -> None:
        assert file_names(files, mixed.user, limit, FileFilter.model_validate(fields)) == names

    @pytest.mark.parametrize("limit", [1, 100])
    @pytest.mark.parametrize(
        ("fields", "names"),
        [
            ({}, ["ab.csv", "a.csv", "a.html", "b.csv"]),
            ({"category": "report"}, ["ab.csv", "a.html"]),
            ({"name_prefix": "a"}, ["a.csv", "a.html", "ab.csv"]),
            ({"name_prefix": "a", "source": Source.UPLOADED}, ["a.csv"]),
        ],
    )
    def test_list_of_a_session_contains_its_files_only(
        self, files: DynamoFiles, mixed: Session, limit: int, fields: dict[str, str], names: list[str]
    ) -> None:
        session_filter = FileFilter.model_validate(fields | {"session_id": mixed.session_id})

        assert file_names(files, mixed.user, limit, session_filter) == names
        assert file_names(files, new_user(), limit, session_filter) == []

    def test_cursor_is_valid_for_its_own_list_only(self, files: DynamoFiles, mixed: Session) -> None:
        cursor = files.list(mixed.user, 1, None, FileFilter(name_prefix="a")).cursor

        assert cursor is not None
        assert "USER" not in cursor
        for other in (FileFilter(), FileFilter(name_prefix="b"), FileFilter(session_id=mixed.session_id)):
            with pytest.raises(InvalidRequest):
                files.list(mixed.user, 1, cursor, other)

    def test_removed_file_is_in_no_list(self, files: DynamoFiles, session: Session) -> None:
        here = session.session_id
        files.remove(files.save(make_file(session.user, here, "a.csv")))

        for fields in ({}, {"session_id": here}, {"name_prefix": "a"}, {"session_id": here, "name_prefix": "a"}):
            assert file_names(files, session.user, 100, FileFilter.model_validate(fields)) == []


class TestUsage:
    def test_new_user_has_no_usage(self, files: DynamoFiles) -> None:
        assert files.usage(new_user()) == Usage(bytes=0, count=0)

    def test_usage_counts_files_once_and_the_bytes_of_all_versions(self, files: DynamoFiles, session: Session) -> None:
        files.save(make_file(session.user, session.session_id, "a.csv", size=10))
        files.save(make_file(session.user, session.session_id, "a.csv", size=5))
        files.save(make_file(session.user, None, "b.csv", size=2 << 40))

        assert files.usage(session.user) == Usage(bytes=15 + (2 << 40), count=2)

    def test_saving_again_is_not_counted(self, files: DynamoFiles, user: UserName) -> None:
        new = make_file(user, None, "a.csv", size=10)

        assert run_concurrently([lambda: files.save(new)] * 4)

        assert files.usage(user) == Usage(bytes=10, count=1)

    def test_concurrent_removals_are_counted_once(self, files: DynamoFiles, session: Session) -> None:
        records = [files.save(make_file(session.user, session.session_id, f"{n % 3}.csv", size=n)) for n in range(9)]
        removed = next(file for file in records if file.name == "1.csv")

        run_concurrently([lambda: files.remove(removed)] * 4)

        assert files.usage(session.user) == Usage(bytes=0 + 3 + 6 + 2 + 5 + 8, count=2)

    def test_removal_of_many_versions_is_counted_in_batches(self, files: DynamoFiles, session: Session) -> None:
        *_, newest = [files.save(make_file(session.user, session.session_id, "a.csv", size=1)) for _ in range(50)]
        assert files.usage(session.user) == Usage(bytes=50, count=1)

        assert len(files.remove(newest)) == 50

        assert files.usage(session.user) == Usage(bytes=0, count=0)
        left = [item["sk"] for item in files.table.query_all(f"USER#{session.user}", "")]
        assert [sk for sk in left if not str(sk).startswith(("USAGE#", "SESSION#", "QUOTA"))] == []

    def test_usage_is_exact_after_concurrent_writes(self, files: DynamoFiles, session: Session) -> None:
        first = files.save(make_file(session.user, session.session_id, "a.csv", size=7))

        run_concurrently(
            [lambda: files.save(make_file(session.user, session.session_id, "a.csv", size=7))] * 5
            + [lambda: files.remove(first)] * 3
            + [lambda: files.save(make_file(session.user, None, "b.csv", size=7))] * 3
        )

        versions = files.table.query_all(f"USER#{session.user}", "VERSION#")
        sizes = [json.loads(str(item["doc"]))["size"] for item in versions]
        records = files.list(session.user, 100, None).items
        assert files.usage(session.user) == Usage(bytes=sum(sizes), count=len(records))
