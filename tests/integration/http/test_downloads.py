import urllib.parse
from typing import Any

import pytest
from starlette.testclient import TestClient

from satchel.domain.files import FileRecord
from satchel.domain.ids import UserName
from tests.integration.aws.makers import a_file
from tests.integration.http.desk import LINK_NOT_FOUND, Desk, problem
from tests.integration.http.world import World

BODY = b"0123456789"


@pytest.fixture
def file(desk: Desk) -> dict[str, Any]:
    return desk.upload("a.csv", BODY)


@pytest.fixture
def url(file: dict[str, Any]) -> str:
    return str(file["download_url"])


class TestBytes:
    @pytest.mark.clause("v2:download:url", "v2:html:not-run", "v2:download:two-ways")
    def test_come_without_sign_in_and_with_safe_headers(
        self, world: World, user: str, anybody: TestClient, file: dict[str, Any], url: str
    ) -> None:
        answer = anybody.get(url)

        record = world.files.get(UserName(user), file["file_key"])
        assert record is not None
        assert (answer.status_code, answer.content) == (200, BODY)
        assert dict(answer.headers) == {
            "content-type": "text/csv",
            "content-disposition": "inline; filename=\"a.csv\"; filename*=UTF-8''a.csv",
            "content-length": "10",
            "content-security-policy": "sandbox; default-src 'none'",
            "x-content-type-options": "nosniff",
            "cache-control": "no-store",
            "referrer-policy": "no-referrer",
            "accept-ranges": "bytes",
            "etag": f'"{record.object_id}"',
        }

    def test_head_has_the_same_headers_and_no_body(self, anybody: TestClient, url: str) -> None:
        head, get = anybody.head(url), anybody.get(url)

        assert (head.status_code, head.content) == (200, b"")
        assert dict(head.headers) == dict(get.headers)

    def test_of_an_empty_file_are_none(self, desk: Desk, anybody: TestClient) -> None:
        answer = anybody.get(desk.upload("a.csv", b"")["download_url"])

        assert (answer.status_code, answer.content, answer.headers["content-length"]) == (200, b"", "0")
        assert answer.headers["content-type"] == "text/csv"

    def test_that_are_gone_from_the_store_are_not_found(self, world: World, user: str, anybody: TestClient) -> None:
        record = world.files.keep(a_file(user, None, "a.csv"))

        answer = anybody.get(world.use_cases.mint_links(record))

        assert (answer.status_code, answer.json()) == (404, LINK_NOT_FOUND)


class TestRanges:
    @pytest.mark.parametrize(
        ("asked", "first", "last"),
        [
            ("bytes=0-0", 0, 0),
            ("bytes=2-4", 2, 4),
            ("bytes=5-", 5, 9),
            ("bytes=-3", 7, 9),
            ("bytes=-99", 0, 9),
            ("bytes=8-99", 8, 9),
            ("bytes=0-999999999999999999", 0, 9),
        ],
    )
    def test_are_parts(self, anybody: TestClient, url: str, asked: str, first: int, last: int) -> None:
        answer = anybody.get(url, headers={"Range": asked})

        assert (answer.status_code, answer.content) == (206, BODY[first : last + 1])
        assert answer.headers["content-range"] == f"bytes {first}-{last}/10"
        assert answer.headers["content-length"] == str(last - first + 1)

    @pytest.mark.parametrize(
        "asked", ["", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=4-2", "bytes=0-1,3-4", "lines=1-2", "bytes=1"]
    )
    def test_of_another_form_are_the_whole(self, anybody: TestClient, url: str, asked: str) -> None:
        answer = anybody.get(url, headers={"Range": asked})

        assert (answer.status_code, answer.content) == (200, BODY)
        assert "content-range" not in answer.headers

    @pytest.mark.parametrize("asked", ["bytes=10-", "bytes=10-12", "bytes=-0", "bytes=999-"])
    def test_behind_the_end_cannot_be_had(self, anybody: TestClient, url: str, asked: str) -> None:
        answer = anybody.get(url, headers={"Range": asked})

        assert answer.status_code == 416
        assert answer.json() == problem(416, "Range not satisfiable", "E_RANGE", "The file has 10 bytes.", size=10)
        assert answer.headers["content-range"] == "bytes */10"
        assert answer.headers["content-type"] == "application/problem+json"

    @pytest.mark.parametrize("asked", ["bytes=0-", "bytes=0-0", "bytes=-1"])
    def test_of_nothing_cannot_be_had(self, desk: Desk, anybody: TestClient, asked: str) -> None:
        answer = anybody.get(desk.upload("a.csv", b"")["download_url"], headers={"Range": asked})

        assert answer.status_code == 416


class TestConditions:
    @pytest.mark.parametrize("named", ["{}", "W/{}", '"other", {}', "*", "{} "])
    def test_what_the_reader_has_is_not_sent_again(self, anybody: TestClient, url: str, named: str) -> None:
        etag = anybody.head(url).headers["etag"]

        for answer in (anybody.get, anybody.head):
            again = answer(url, headers={"If-None-Match": named.format(etag)})
            assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)

    @pytest.mark.parametrize("named", ["", '"other"', "f", 'W/"other"'])
    def test_what_the_reader_does_not_have_is_sent(self, anybody: TestClient, url: str, named: str) -> None:
        assert anybody.get(url, headers={"If-None-Match": named}).content == BODY

    def test_a_new_version_is_not_what_the_reader_has(self, desk: Desk, anybody: TestClient, url: str) -> None:
        etag = anybody.head(url).headers["etag"]
        newer = desk.upload("a.csv", b"newer")["download_url"]

        assert anybody.get(newer, headers={"If-None-Match": etag}).content == b"newer"
        assert anybody.get(newer, headers={"If-Range": etag, "Range": "bytes=1-2"}).content == b"newer"
        own = anybody.head(newer).headers["etag"]
        assert anybody.get(newer, headers={"If-Range": own, "Range": "bytes=1-2"}).content == b"ew"

    def test_a_condition_opens_nothing_without_a_good_token(self, anybody: TestClient, url: str) -> None:
        answer = anybody.get(url[:-2], headers={"If-None-Match": "*"})

        assert (answer.status_code, answer.json()) == (404, LINK_NOT_FOUND)


class TestHeaders:
    @pytest.mark.parametrize(
        "name",
        [
            "größe “2026”.csv",
            'a";filename="evil.exe',
            "a%22b%0d%0a.csv",
            "a\r\nSet-Cookie: x=1.csv",
            "\U0001f4c8.png",
            ";,='",
        ],
    )
    def test_carry_any_name_whole_and_nothing_beside_it(self, desk: Desk, anybody: TestClient, name: str) -> None:
        uploaded = desk.upload(name)

        header = anybody.get(uploaded["download_url"]).headers["content-disposition"]

        assert header.isascii()
        kind, plain, coded = header.split("; ", 1)[0], header.split('"')[1], header.partition("filename*=UTF-8''")[2]
        assert kind in {"inline", "attachment"}
        assert header == f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{coded}"
        assert not set('"\\%') & set(plain)
        assert urllib.parse.unquote(coded) == uploaded["name"]

    @pytest.mark.clause("v2:html:not-run")
    @pytest.mark.parametrize(
        "mime",
        [
            "text/html",
            "TEXT/HTML; charset=utf-8",
            "application/xhtml+xml",
            "image/svg+xml",
            "text/xml",
            "application/xml",
            "application/rss+xml",
            "text/javascript",
            "application/javascript",
            "application/x-javascript",
            "application/ecmascript",
            "text/vbscript",
            "message/rfc822",
            "multipart/related",
            "multipart/x-mixed-replace; boundary=x",
        ],
    )
    def test_make_what_could_run_an_attachment(self, desk: Desk, anybody: TestClient, mime: str) -> None:
        answer = anybody.get(desk.upload("a.bin", b"<script>", mime=mime)["download_url"])

        assert answer.headers["content-disposition"].startswith("attachment; ")
        assert answer.headers["x-content-type-options"] == "nosniff"

    @pytest.mark.parametrize("mime", ["image/png", "application/pdf", "text/plain", "text/csv", "application/json"])
    def test_let_the_rest_be_shown(self, desk: Desk, anybody: TestClient, mime: str) -> None:
        answer = anybody.get(desk.upload("a.bin", b"x", mime=mime)["download_url"])

        assert answer.headers["content-disposition"].startswith("inline; ")

    def test_let_nothing_be_shown_that_is_to_be_saved(self, anybody: TestClient, url: str) -> None:
        for answer in (anybody.get(f"{url}&attachment=true"), anybody.head(f"{url}&attachment=true")):
            assert answer.headers["content-disposition"] == "attachment; filename=\"a.csv\"; filename*=UTF-8''a.csv"


class TestLargeFiles:
    @pytest.fixture
    def record(self, world: World, user: str) -> FileRecord:
        return world.files.keep(a_file(user, None, "größe.html", mime="text/html", size=(4 << 20) + 1))

    def test_are_fetched_from_the_store_within_a_minute(
        self, world: World, anybody: TestClient, record: FileRecord
    ) -> None:
        answer = anybody.get(world.use_cases.mint_links(record), headers={"Range": "bytes=0-1"})

        location = urllib.parse.urlsplit(answer.headers["location"])
        query = dict(urllib.parse.parse_qsl(location.query))
        assert answer.status_code == 307
        assert urllib.parse.unquote(location.path) == f"/{world.store.bucket}/{record.key}"
        assert query["X-Amz-Expires"] == "60"
        assert query["response-content-type"] == "text/html"
        assert query["response-content-disposition"].startswith("attachment; filename=")
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "no-referrer"

    def test_are_saved_where_that_is_asked_for(self, world: World, user: str, anybody: TestClient) -> None:
        record = world.files.keep(a_file(user, None, "a.csv", size=(4 << 20) + 1))
        for asked, said in {"": "inline; ", "&attachment=true": "attachment; "}.items():
            location = anybody.get(world.use_cases.mint_links(record) + asked).headers["location"]
            query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(location).query))
            assert query["response-content-disposition"].startswith(said)

    def test_are_described_by_head_without_the_store(
        self, world: World, anybody: TestClient, record: FileRecord
    ) -> None:
        answer = anybody.head(world.use_cases.mint_links(record))

        assert (answer.status_code, answer.headers["content-length"]) == (200, str(record.size))

    def test_that_the_reader_has_are_not_fetched_from_the_store(
        self, world: World, anybody: TestClient, record: FileRecord
    ) -> None:
        answer = anybody.get(world.use_cases.mint_links(record), headers={"If-None-Match": f'"{record.object_id}"'})

        assert (answer.status_code, "location" in answer.headers) == (304, False)

    def test_of_just_the_limit_come_directly(self, desk: Desk, anybody: TestClient) -> None:
        answer = anybody.get(desk.upload("a.bin", b"x" * (4 << 20))["download_url"])

        assert (answer.status_code, len(answer.content)) == (200, 4 << 20)


@pytest.mark.clause("v4:files:urls-temporary")
def test_a_tools_link_has_the_host_and_lives_as_long_as_its_call(world: World, user: str, anybody: TestClient) -> None:
    record = world.files.keep(a_file(user, None, "a.csv", size=0))
    link = world.use_cases.mint_links.for_tool(record, 839.5)
    assert link.startswith("http://api.example/api/files/download/")
    path = link.removeprefix("http://api.example")

    world.clock.advance(839)
    assert anybody.get(path).status_code == 200
    world.clock.advance(1)
    assert anybody.get(path).status_code == 404
