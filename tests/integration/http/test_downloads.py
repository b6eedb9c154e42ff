import urllib.parse
from typing import Any

import pytest
from starlette.testclient import TestClient

from satchel.domain.files import FileRecord
from satchel.domain.ids import UserName
from tests.integration.aws.factories import make_file
from tests.integration.http.api_client import LINK_NOT_FOUND, ApiClient, problem
from tests.integration.http.backend import Backend

BODY = b"0123456789"


@pytest.fixture
def file(api: ApiClient) -> dict[str, Any]:
    return api.upload("a.csv", BODY)


@pytest.fixture
def url(file: dict[str, Any]) -> str:
    return str(file["download_url"])


class TestContent:
    @pytest.mark.clause("v2:download:url", "v2:html:not-run", "v2:download:two-ways")
    def test_download_needs_no_sign_in_and_has_safe_headers(
        self, backend: Backend, user: UserName, anonymous: TestClient, file: dict[str, Any], url: str
    ) -> None:
        response = anonymous.get(url)

        record = backend.files.get(user, file["file_key"])
        assert record is not None
        assert (response.status_code, response.content) == (200, BODY)
        assert dict(response.headers) == {
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

    def test_head_has_the_same_headers_and_no_body(self, anonymous: TestClient, url: str) -> None:
        head, get = anonymous.head(url), anonymous.get(url)

        assert (head.status_code, head.content) == (200, b"")
        assert dict(head.headers) == dict(get.headers)

    @pytest.mark.parametrize(
        "use",
        [
            "script",
            "worker",
            "sharedworker",
            "serviceworker",
            "style",
            "audioworklet",
            "paintworklet",
            "xslt",
            "json",
            "manifest",
            "font",
            "unknown",
        ],
    )
    def test_browser_cannot_load_a_file_as_code(self, anonymous: TestClient, url: str, use: str) -> None:
        detail = "A file cannot be loaded as a script, a worker or a style sheet."
        response = anonymous.get(url, headers={"Sec-Fetch-Dest": use})

        assert (response.status_code, response.json()) == (403, problem(403, "Forbidden", "E_FORBIDDEN", detail))
        assert anonymous.head(url, headers={"Sec-Fetch-Dest": use}).status_code == 403

    @pytest.mark.parametrize("use", ["document", "iframe", "image", "audio", "video", "object", "embed", "empty"])
    def test_browser_can_show_and_fetch_a_file(self, anonymous: TestClient, url: str, use: str) -> None:
        assert anonymous.get(url, headers={"Sec-Fetch-Dest": use}).content == BODY

    def test_empty_file_has_an_empty_body(self, api: ApiClient, anonymous: TestClient) -> None:
        response = anonymous.get(api.upload("a.csv", b"")["download_url"])

        assert (response.status_code, response.content, response.headers["content-length"]) == (200, b"", "0")
        assert response.headers["content-type"] == "text/csv"

    def test_file_that_is_missing_in_the_store_is_not_found(
        self, backend: Backend, user: UserName, anonymous: TestClient
    ) -> None:
        record = backend.files.save(make_file(user, None, "a.csv"))

        response = anonymous.get(backend.use_cases.mint_links(record))

        assert (response.status_code, response.json()) == (404, LINK_NOT_FOUND)


class TestRanges:
    @pytest.mark.parametrize(
        ("range_header", "first", "last"),
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
    def test_range_returns_partial_content(
        self, anonymous: TestClient, url: str, range_header: str, first: int, last: int
    ) -> None:
        response = anonymous.get(url, headers={"Range": range_header})

        assert (response.status_code, response.content) == (206, BODY[first : last + 1])
        assert response.headers["content-range"] == f"bytes {first}-{last}/10"
        assert response.headers["content-length"] == str(last - first + 1)

    @pytest.mark.parametrize(
        "range_header",
        ["", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=4-2", "bytes=0-1,3-4", "lines=1-2", "bytes=1"],
    )
    def test_unsupported_range_returns_the_whole_file(self, anonymous: TestClient, url: str, range_header: str) -> None:
        response = anonymous.get(url, headers={"Range": range_header})

        assert (response.status_code, response.content) == (200, BODY)
        assert "content-range" not in response.headers

    @pytest.mark.parametrize("range_header", ["bytes=10-", "bytes=10-12", "bytes=-0", "bytes=999-"])
    def test_range_after_the_end_is_not_satisfiable(self, anonymous: TestClient, url: str, range_header: str) -> None:
        response = anonymous.get(url, headers={"Range": range_header})

        assert response.status_code == 416
        assert response.json() == problem(416, "Range not satisfiable", "E_RANGE", "The file has 10 bytes.", size=10)
        assert response.headers["content-range"] == "bytes */10"
        assert response.headers["content-type"] == "application/problem+json"

    @pytest.mark.parametrize("range_header", ["bytes=0-", "bytes=0-0", "bytes=-1"])
    def test_range_of_an_empty_file_is_not_satisfiable(
        self, api: ApiClient, anonymous: TestClient, range_header: str
    ) -> None:
        response = anonymous.get(api.upload("a.csv", b"")["download_url"], headers={"Range": range_header})

        assert response.status_code == 416


class TestConditions:
    @pytest.mark.parametrize("if_none_match", ["{}", "W/{}", '"other", {}', "*", "{} "])
    def test_matching_etag_returns_not_modified(self, anonymous: TestClient, url: str, if_none_match: str) -> None:
        etag = anonymous.head(url).headers["etag"]

        for request in (anonymous.get, anonymous.head):
            again = request(url, headers={"If-None-Match": if_none_match.format(etag)})
            assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)

    @pytest.mark.parametrize("if_none_match", ["", '"other"', "f", 'W/"other"'])
    def test_other_etag_returns_the_file(self, anonymous: TestClient, url: str, if_none_match: str) -> None:
        assert anonymous.get(url, headers={"If-None-Match": if_none_match}).content == BODY

    def test_new_version_has_another_etag(self, api: ApiClient, anonymous: TestClient, url: str) -> None:
        etag = anonymous.head(url).headers["etag"]
        newer = api.upload("a.csv", b"newer")["download_url"]

        assert anonymous.get(newer, headers={"If-None-Match": etag}).content == b"newer"
        assert anonymous.get(newer, headers={"If-Range": etag, "Range": "bytes=1-2"}).content == b"newer"
        own = anonymous.head(newer).headers["etag"]
        assert anonymous.get(newer, headers={"If-Range": own, "Range": "bytes=1-2"}).content == b"ew"

    def test_condition_with_an_invalid_token_is_not_found(self, anonymous: TestClient, url: str) -> None:
        response = anonymous.get(url[:-2], headers={"If-None-Match": "*"})

        assert (response.status_code, response.json()) == (404, LINK_NOT_FOUND)


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
    def test_content_disposition_contains_any_name_and_nothing_else(
        self, api: ApiClient, anonymous: TestClient, name: str
    ) -> None:
        uploaded = api.upload(name)

        header = anonymous.get(uploaded["download_url"]).headers["content-disposition"]

        assert header.isascii()
        kind, fallback, encoded = (
            header.split("; ", 1)[0],
            header.split('"')[1],
            header.partition("filename*=UTF-8''")[2],
        )
        assert kind in {"inline", "attachment"}
        assert header == f"{kind}; filename=\"{fallback}\"; filename*=UTF-8''{encoded}"
        assert not set('"\\%') & set(fallback)
        assert urllib.parse.unquote(encoded) == uploaded["name"]

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
    def test_active_content_is_an_attachment(self, api: ApiClient, anonymous: TestClient, mime: str) -> None:
        response = anonymous.get(api.upload("a.bin", b"<script>", mime=mime)["download_url"])

        assert response.headers["content-disposition"].startswith("attachment; ")
        assert response.headers["x-content-type-options"] == "nosniff"

    @pytest.mark.parametrize("mime", ["image/png", "application/pdf", "text/plain", "text/csv", "application/json"])
    def test_passive_content_is_inline(self, api: ApiClient, anonymous: TestClient, mime: str) -> None:
        response = anonymous.get(api.upload("a.bin", b"x", mime=mime)["download_url"])

        assert response.headers["content-disposition"].startswith("inline; ")

    def test_attachment_parameter_makes_an_attachment(self, anonymous: TestClient, url: str) -> None:
        for response in (anonymous.get(f"{url}&attachment=true"), anonymous.head(f"{url}&attachment=true")):
            assert response.headers["content-disposition"] == "attachment; filename=\"a.csv\"; filename*=UTF-8''a.csv"


class TestLargeFiles:
    @pytest.fixture
    def record(self, backend: Backend, user: UserName) -> FileRecord:
        return backend.files.save(make_file(user, None, "größe.html", mime="text/html", size=(4 << 20) + 1))

    def test_large_file_redirects_to_a_url_valid_for_one_minute(
        self, backend: Backend, anonymous: TestClient, record: FileRecord
    ) -> None:
        response = anonymous.get(backend.use_cases.mint_links(record), headers={"Range": "bytes=0-1"})

        location = urllib.parse.urlsplit(response.headers["location"])
        query = dict(urllib.parse.parse_qsl(location.query))
        assert response.status_code == 307
        assert urllib.parse.unquote(location.path) == f"/{backend.store.bucket}/{record.key}"
        assert query["X-Amz-Expires"] == "60"
        assert query["response-content-type"] == "text/html"
        assert query["response-content-disposition"].startswith("attachment; filename=")
        assert response.headers["cache-control"] == "no-store"
        assert response.headers["referrer-policy"] == "no-referrer"

    def test_redirect_has_the_requested_disposition(
        self, backend: Backend, user: UserName, anonymous: TestClient
    ) -> None:
        record = backend.files.save(make_file(user, None, "a.csv", size=(4 << 20) + 1))
        for query_string, disposition in {"": "inline; ", "&attachment=true": "attachment; "}.items():
            location = anonymous.get(backend.use_cases.mint_links(record) + query_string).headers["location"]
            query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(location).query))
            assert query["response-content-disposition"].startswith(disposition)

    def test_head_of_a_large_file_does_not_redirect(
        self, backend: Backend, anonymous: TestClient, record: FileRecord
    ) -> None:
        response = anonymous.head(backend.use_cases.mint_links(record))

        assert (response.status_code, response.headers["content-length"]) == (200, str(record.size))

    def test_large_file_with_matching_etag_is_not_modified(
        self, backend: Backend, anonymous: TestClient, record: FileRecord
    ) -> None:
        response = anonymous.get(
            backend.use_cases.mint_links(record), headers={"If-None-Match": f'"{record.object_id}"'}
        )

        assert (response.status_code, "location" in response.headers) == (304, False)

    def test_file_of_exactly_the_limit_is_sent_directly(self, api: ApiClient, anonymous: TestClient) -> None:
        response = anonymous.get(api.upload("a.bin", b"x" * (4 << 20))["download_url"])

        assert (response.status_code, len(response.content)) == (200, 4 << 20)


@pytest.mark.clause("v4:files:urls-temporary")
def test_link_for_a_tool_has_the_host_and_is_valid_during_the_call(
    backend: Backend, user: UserName, anonymous: TestClient
) -> None:
    record = backend.files.save(make_file(user, None, "a.csv", size=0))
    link = backend.use_cases.mint_links.for_tool(record, 839.5)
    assert link.startswith("http://api.example/api/files/download/")
    path = link.removeprefix("http://api.example")

    backend.clock.advance(839)
    assert anonymous.get(path).status_code == 200
    backend.clock.advance(1)
    assert anonymous.get(path).status_code == 404
