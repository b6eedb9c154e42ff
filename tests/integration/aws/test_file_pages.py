"""Lists of files cost the same whatever their number, and what a person keeps is known to the byte."""

import json
from collections.abc import Callable, Iterator

import pytest

from satchel.adapters.dynamodb.files import DynamoFiles
from satchel.adapters.dynamodb.table import Table
from satchel.domain.errors import InvalidRequest
from satchel.domain.files import FileFilter, FileRecord, Source, Usage
from satchel.domain.ids import UserName
from satchel.domain.sessions import Session
from tests.integration.aws.makers import a_file, a_session, at_once, someone
from tests.integration.aws.many_files import has_many
from tests.integration.aws.recorded import recorded

MANY = 600


@pytest.fixture
def files(table: Table) -> DynamoFiles:
    return DynamoFiles(table)


def walk(files: DynamoFiles, user: str, limit: int, wanted: FileFilter) -> Iterator[list[FileRecord]]:
    """All pages of a list."""
    cursor: str | None = None
    while True:
        page = files.list(UserName(user), limit, cursor, wanted)
        yield page.items
        if (cursor := page.cursor) is None:
            return


def found(files: DynamoFiles, user: str, limit: int, wanted: FileFilter) -> list[str]:
    return [file.name for page in walk(files, user, limit, wanted) for file in page]


@pytest.fixture(scope="module")
def owner(table: Table) -> str:
    return has_many(table, MANY, listed_alone=False)


class TestOfManyFiles:
    def test_a_page_of_ten_thousand_costs_one_query_with_a_limit(self, files: DynamoFiles, table: Table) -> None:
        user = has_many(table, 10_000, listed_alone=True)
        first = files.list(UserName(user), 50, None)

        with recorded(files.table.client) as asked:
            second = files.list(UserName(user), 50, first.cursor)

        assert [file.name for file in second.items] == [f"{9949 - n:05d}.csv" for n in range(50)]
        [(name, params)] = asked
        assert (name, params["Limit"], "FilterExpression" in params) == ("Query", 50, False)

    @pytest.mark.parametrize(
        ("make", "requests"),
        [
            (lambda _: FileFilter(), ["Query"]),
            (lambda session_id: FileFilter(session_id=session_id), ["Query", "BatchGetItem"]),
            (lambda _: FileFilter(name_prefix="00"), ["Query", "BatchGetItem"]),
        ],
        ids=["of all", "of a session", "by name"],
    )
    def test_a_page_costs_one_bounded_query(
        self, files: DynamoFiles, owner: str, make: Callable[[str], FileFilter], requests: list[str]
    ) -> None:
        wanted = make(files.list(UserName(owner), 1, None).items[0].session_id or "")
        cursor: str | None = None
        for _ in range(3):
            with recorded(files.table.client) as asked:
                page = files.list(UserName(owner), 50, cursor, wanted)
            assert len(page.items) == 50
            assert [name for name, _ in asked] == requests
            assert asked[0][1]["Limit"] == 50
            cursor = page.cursor

    def test_what_no_list_is_ordered_by_is_looked_for_in_bounded_steps(self, files: DynamoFiles, owner: str) -> None:
        with recorded(files.table.client) as asked:
            pages = list(walk(files, owner, 50, FileFilter(category="report")))

        assert [[file.name for file in page] for page in pages] == [
            ["00500.csv", "00400.csv", "00300.csv", "00200.csv", "00100.csv"],
            ["00000.csv"],
        ]
        assert [(name, params["Limit"]) for name, params in asked] == [("Query", 500)] * 2

    def test_every_file_is_on_one_page(self, files: DynamoFiles, owner: str) -> None:
        assert found(files, owner, 100, FileFilter()) == [f"{n:05d}.csv" for n in reversed(range(MANY))]


@pytest.fixture(scope="module")
def mixed(table: Table) -> Session:
    """A session of somebody who has four files in it, and a fifth that is of no session."""
    files, session = DynamoFiles(table), a_session(someone())
    user, here = session.user, session.session_id
    files.keep(a_file(user, here, "b.csv"))
    files.keep(a_file(user, here, "a.html", source=Source.GENERATED, category="report", origin="c1"))
    files.keep(a_file(user, here, "a.csv", category="dataset"))
    files.keep(a_file(user, here, "ab.csv", source=Source.DEFERRED, category="report", origin="c2"))
    files.keep(a_file(user, None, "a b.csv"))
    return session


class TestFilters:
    @pytest.mark.parametrize("limit", [1, 100])
    @pytest.mark.parametrize(
        ("wanted", "names"),
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
    def test_give_what_fits_and_all_of_it(
        self, files: DynamoFiles, mixed: Session, limit: int, wanted: dict[str, str], names: list[str]
    ) -> None:
        assert found(files, mixed.user, limit, FileFilter.model_validate(wanted)) == names

    @pytest.mark.parametrize("limit", [1, 100])
    @pytest.mark.parametrize(
        ("wanted", "names"),
        [
            ({}, ["ab.csv", "a.csv", "a.html", "b.csv"]),
            ({"category": "report"}, ["ab.csv", "a.html"]),
            ({"name_prefix": "a"}, ["a.csv", "a.html", "ab.csv"]),
            ({"name_prefix": "a", "source": Source.UPLOADED}, ["a.csv"]),
        ],
    )
    def test_within_a_session_leave_out_the_rest(
        self, files: DynamoFiles, mixed: Session, limit: int, wanted: dict[str, str], names: list[str]
    ) -> None:
        within = FileFilter.model_validate(wanted | {"session_id": mixed.session_id})

        assert found(files, mixed.user, limit, within) == names
        assert found(files, someone(), limit, within) == []

    def test_a_cursor_is_good_for_the_list_that_gave_it(self, files: DynamoFiles, mixed: Session) -> None:
        cursor = files.list(mixed.user, 1, None, FileFilter(name_prefix="a")).cursor

        assert cursor is not None
        assert "USER" not in cursor
        for other in (FileFilter(), FileFilter(name_prefix="b"), FileFilter(session_id=mixed.session_id)):
            with pytest.raises(InvalidRequest):
                files.list(mixed.user, 1, cursor, other)

    def test_a_removed_file_is_on_no_list(self, files: DynamoFiles, session: Session) -> None:
        here = session.session_id
        files.remove(files.keep(a_file(session.user, here, "a.csv")))

        for wanted in ({}, {"session_id": here}, {"name_prefix": "a"}, {"session_id": here, "name_prefix": "a"}):
            assert found(files, session.user, 100, FileFilter.model_validate(wanted)) == []


class TestUsage:
    def test_is_nothing_at_first(self, files: DynamoFiles) -> None:
        assert files.usage(UserName(someone())) == Usage(bytes=0, count=0)

    def test_counts_files_once_and_the_bytes_of_all_versions(self, files: DynamoFiles, session: Session) -> None:
        files.keep(a_file(session.user, session.session_id, "a.csv", size=10))
        files.keep(a_file(session.user, session.session_id, "a.csv", size=5))
        files.keep(a_file(session.user, None, "b.csv", size=2 << 40))

        assert files.usage(session.user) == Usage(bytes=15 + (2 << 40), count=2)

    def test_does_not_count_what_is_kept_again(self, files: DynamoFiles, user: str) -> None:
        new = a_file(user, None, "a.csv", size=10)

        assert at_once([lambda: files.keep(new)] * 4)

        assert files.usage(UserName(user)) == Usage(bytes=10, count=1)

    def test_goes_back_once_with_each_file(self, files: DynamoFiles, session: Session) -> None:
        kept = [files.keep(a_file(session.user, session.session_id, f"{n % 3}.csv", size=n)) for n in range(9)]
        gone = next(file for file in kept if file.name == "1.csv")

        at_once([lambda: files.remove(gone)] * 4)

        assert files.usage(session.user) == Usage(bytes=0 + 3 + 6 + 2 + 5 + 8, count=2)

    def test_goes_back_in_lots_with_a_file_of_very_many_versions(self, files: DynamoFiles, session: Session) -> None:
        *_, newest = [files.keep(a_file(session.user, session.session_id, "a.csv", size=1)) for _ in range(50)]
        assert files.usage(session.user) == Usage(bytes=50, count=1)

        assert len(files.remove(newest)) == 50

        assert files.usage(session.user) == Usage(bytes=0, count=0)
        left = [item["sk"] for item in files.table.query_all(f"USER#{session.user}", "")]
        assert [sk for sk in left if not str(sk).startswith(("USAGE#", "SESSION#"))] == []

    def test_is_right_whatever_comes_at_once(self, files: DynamoFiles, session: Session) -> None:
        first = files.keep(a_file(session.user, session.session_id, "a.csv", size=7))

        at_once(
            [lambda: files.keep(a_file(session.user, session.session_id, "a.csv", size=7))] * 5
            + [lambda: files.remove(first)] * 3
            + [lambda: files.keep(a_file(session.user, None, "b.csv", size=7))] * 3
        )

        versions = files.table.query_all(f"USER#{session.user}", "VERSION#")
        sizes = [json.loads(str(item["doc"]))["size"] for item in versions]
        records = files.list(session.user, 100, None).items
        assert files.usage(session.user) == Usage(bytes=sum(sizes), count=len(records))
