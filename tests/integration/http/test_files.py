import pytest
from starlette.testclient import TestClient

from satchel.domain.files import Source
from satchel.domain.ids import UserName
from tests.integration.aws.factories import make_file, random_id
from tests.integration.aws.recorded_requests import record_requests
from tests.integration.http.api_client import ApiClient, b64, expected_file, file_not_found, problem, session_not_found
from tests.integration.http.backend import MAX_INLINE, Backend


class TestList:
    def test_files_are_listed_newest_first_in_pages(self, backend: Backend, api: ApiClient) -> None:
        keys = []
        for number in range(3):
            keys.append(api.upload(f"{number}.csv")["file_key"])
            backend.clock.advance(1)

        first = api.get_json("/api/files?limit=2")
        second = api.get_json(f"/api/files?limit=2&cursor={first['cursor']}")

        assert [file["file_key"] for file in first["files"] + second["files"]] == keys[::-1]
        assert second["cursor"] is None

    @pytest.mark.clause("v2.1:storage:hidden")
    def test_listed_file_has_all_fields_and_a_new_link(
        self, backend: Backend, http: TestClient, api: ApiClient
    ) -> None:
        uploaded = api.upload("a.csv")

        [file] = api.get_json("/api/files")["files"]

        assert file == expected_file(backend, uploaded, download_url=file["download_url"])
        assert http.get(file["download_url"]).status_code == 200

    def test_session_filter_returns_only_files_of_the_session(self, http: TestClient, api: ApiClient) -> None:
        session_id = api.create_session()
        inside = api.upload("in.csv", session_id=session_id)["file_key"]
        api.upload("out.csv")

        files = http.get("/api/files", params={"session_id": session_id}).json()["files"]

        assert [file["file_key"] for file in files] == [inside]

    @pytest.mark.parametrize("session_id", ["x", "", "s01kabcdefghjkmnpqrstvwxyz0", "ä" * 100, "\x00"])
    def test_filter_with_a_missing_session_is_not_found(self, http: TestClient, session_id: str) -> None:
        response = http.get("/api/files", params={"session_id": session_id})

        assert (response.status_code, response.json()) == (404, session_not_found(session_id))

    def test_filter_with_another_users_session_is_not_found(self, api: ApiClient, other_user: TestClient) -> None:
        assert other_user.get("/api/files", params={"session_id": api.create_session()}).status_code == 404

    def test_cursor_of_another_list_is_rejected(self, http: TestClient) -> None:
        response = http.get("/api/files", params={"cursor": "U0VTU0lPTiN4"})

        assert (response.status_code, response.json()["error_code"]) == (422, "E_INVALID_REQUEST")

    @pytest.mark.parametrize(
        ("query", "names"),
        [
            ({"source": "uploaded"}, ["b.csv", "a.csv"]),
            ({"source": "generated"}, ["a.html"]),
            ({"category": "report"}, ["a.html"]),
            ({"name_prefix": "a"}, ["a.csv", "a.html"]),
            ({"name_prefix": "a", "source": "deferred"}, []),
        ],
    )
    def test_filters_select_files(
        self,
        backend: Backend,
        user: UserName,
        http: TestClient,
        api: ApiClient,
        query: dict[str, str],
        names: list[str],
    ) -> None:
        api.upload("a.csv")
        backend.files.save(make_file(user, None, "a.html", source=Source.GENERATED, category="report", origin="c"))
        backend.clock.advance(1)
        api.upload("b.csv")

        files = http.get("/api/files", params=query).json()["files"]

        assert {file["name"] for file in files} == set(names)

    @pytest.mark.parametrize("query", [{"source": "made up"}, {"name_prefix": "a" * 201}, {"category": "a" * 201}])
    def test_invalid_filter_is_rejected(self, http: TestClient, query: dict[str, str]) -> None:
        assert http.get("/api/files", params=query).status_code == 422

    def test_list_costs_one_query_and_one_read_of_all_sessions(self, backend: Backend, api: ApiClient) -> None:
        for _ in range(4):
            api.upload("a.csv", session_id=api.create_session())

        with record_requests(backend.table.client) as requests:
            api.get_json("/api/files?limit=3")

        assert [name for name, _ in requests] == ["Query", "BatchGetItem"]
        assert requests[0][1]["Limit"] == 3

    def test_expired_file_is_not_listed(self, backend: Backend, user: UserName, api: ApiClient) -> None:
        new = make_file(user, None, "a.csv", expires_at=int(backend.clock.now().timestamp()) + 10)
        record = backend.files.save(new)
        assert [file["file_key"] for file in api.get_json("/api/files")["files"]] == [record.file_key]

        backend.clock.advance(10)

        assert api.get_json("/api/files")["files"] == []
        assert api.http.get(f"/api/files/{record.file_key}").status_code == 404


class TestRead:
    @pytest.mark.clause("v1:files:fetched-apart", "v2:download:two-ways", "v2.1:processing:b64")
    def test_file_has_its_content_as_base64(self, backend: Backend, api: ApiClient) -> None:
        uploaded = api.upload("a.csv")

        read = api.get_json(f"/api/files/{uploaded['file_key']}")

        url = read["download_url"]
        assert read == expected_file(backend, uploaded, download_url=url, b64=b64(b"a,b\n1,2\n"), s3_ref=None)

    @pytest.mark.clause("v2.1:storage:hidden", "v2.1:processing:reference")
    def test_file_above_the_limit_has_a_reference_and_a_link(
        self, backend: Backend, user: UserName, api: ApiClient
    ) -> None:
        new = make_file(user, None, "a.csv", size=MAX_INLINE + 1)
        record = backend.files.save(new)

        read = api.get_json(f"/api/files/{record.file_key}")

        assert (read["b64"], read["s3_ref"]) == (None, {"key": new.key, "internal": True})
        assert read["download_url"].startswith(f"/api/files/download/{record.file_key}?token=")

    def test_file_is_read_in_its_newest_version(self, api: ApiClient) -> None:
        key = api.upload("a.csv", b"one")["file_key"]
        api.upload("a.csv", b"two")

        read = api.get_json(f"/api/files/{key}")

        assert (read["version"], read["b64"]) == (2, b64(b"two"))

    @pytest.mark.clause("v2.1:artifacts:versions")
    def test_each_version_is_listed_read_and_downloaded(self, http: TestClient, api: ApiClient) -> None:
        contents = [b"one", b"two", b"three"]
        key, *_ = [api.upload("a.csv", body)["file_key"] for body in contents]

        first = api.get_json(f"/api/files/{key}/versions?limit=2")
        rest = api.get_json(f"/api/files/{key}/versions?limit=2&cursor={first['cursor']}")

        versions = first["versions"] + rest["versions"]
        assert [(file["version"], file["size"], file["file_key"]) for file in versions] == [
            (3, 5, key),
            (2, 3, key),
            (1, 3, key),
        ]
        assert [http.get(file["download_url"]).content for file in versions] == contents[::-1]
        for number, body in enumerate(contents, start=1):
            read = api.get_json(f"/api/files/{key}?version={number}")
            assert (read["version"], read["b64"]) == (number, b64(body))
            assert http.get(read["download_url"]).content == body
        assert rest["cursor"] is None

    def test_missing_version_is_not_found(self, http: TestClient, api: ApiClient) -> None:
        key = api.upload("a.csv")["file_key"]

        response = http.get(f"/api/files/{key}?version=2")

        assert (response.status_code, response.json()) == (404, file_not_found(key))

    @pytest.mark.parametrize("version", ["0", "-1", "1000000", "x"])
    def test_malformed_version_is_rejected(self, http: TestClient, api: ApiClient, version: str) -> None:
        assert http.get(f"/api/files/{api.upload('a.csv')['file_key']}?version={version}").status_code == 422

    def test_versions_of_another_users_file_are_not_found(self, api: ApiClient, other_user: TestClient) -> None:
        key = api.upload("a.csv")["file_key"]

        for path in (f"/api/files/{key}/versions", f"/api/files/{key}?version=1"):
            response = other_user.get(path)
            assert (response.status_code, response.json()) == (404, file_not_found(key))

    def test_file_that_is_missing_in_the_store_is_not_found(
        self, backend: Backend, user: UserName, http: TestClient
    ) -> None:
        record = backend.files.save(make_file(user, None, "a.csv"))

        response = http.get(f"/api/files/{record.file_key}")

        assert (response.status_code, response.json()) == (404, file_not_found(record.file_key))

    @pytest.mark.clause("v2.1:storage:apart")
    def test_file_of_another_user_gives_the_error_of_a_missing_one(
        self, api: ApiClient, other_user: TestClient
    ) -> None:
        for key in (api.upload("a.csv")["file_key"], random_id("f"), "x", "artifacts", "s01kabcdefghjkmnpqrstvwxyz0"):
            response = other_user.get(f"/api/files/{key}")
            assert (response.status_code, response.json()) == (404, file_not_found(key))

    @pytest.mark.clause("v2.1:storage:apart")
    def test_deletion_of_a_file_of_another_user_does_what_that_of_a_missing_one_does(
        self, api: ApiClient, other_user: TestClient
    ) -> None:
        own = api.upload("a.csv")["file_key"]

        for key in (own, random_id("f")):
            response = other_user.delete(f"/api/files/{key}")
            assert (response.status_code, response.content) == (204, b"")

        assert api.get_json(f"/api/files/{own}")["name"] == "a.csv"


class TestDelete:
    def test_delete_removes_all_versions_objects_and_links(
        self, backend: Backend, http: TestClient, api: ApiClient
    ) -> None:
        first = api.upload("a.csv", b"one")
        second = api.upload("a.csv", b"two")
        owner, key = http.headers["X-Satchel-User"], first["file_key"]

        response = http.delete(f"/api/files/{key}")

        assert (response.status_code, response.content) == (204, b"")
        assert [http.get(file["download_url"]).status_code for file in (first, second)] == [404, 404]
        assert http.get(f"/api/files/{key}").status_code == 404
        assert http.delete(f"/api/files/{key}").status_code == 204
        listed = backend.store.client.list_object_versions(Bucket=backend.store.bucket, Prefix=f"{owner}/")
        assert "Versions" not in listed
        assert "DeleteMarkers" not in listed


def test_unexpected_error_is_a_problem_and_logged(
    backend: Backend, http: TestClient, api: ApiClient, caplog: pytest.LogCaptureFixture
) -> None:
    key = api.upload("a.csv")["file_key"]
    bucket = backend.store.bucket
    try:
        object.__setattr__(backend.store, "bucket", "no-such-bucket")
        response = http.get(f"/api/files/{key}")
    finally:
        object.__setattr__(backend.store, "bucket", bucket)

    assert response.status_code == 500
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json() == problem(
        500, "Internal error", "E_INTERNAL", "An unexpected error occurred on the server; it has been logged."
    )
    assert "NoSuchBucket" in caplog.text
