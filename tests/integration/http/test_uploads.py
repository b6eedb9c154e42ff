import pytest
from starlette.testclient import TestClient

from tests.integration.aws.factories import random_id
from tests.integration.http.api_client import ApiClient, b64, expected_file, session_not_found
from tests.integration.http.backend import Backend


class TestUploadAsJson:
    def test_upload_creates_a_file_and_a_link(self, backend: Backend, http: TestClient) -> None:
        response = http.post("/api/files/content", json={"name": "a.csv", "b64": b64(b"a,b\n1,2\n")})

        assert response.status_code == 201
        uploaded = response.json()
        assert uploaded == expected_file(backend, uploaded)
        assert uploaded["download_url"].startswith(f"/api/files/download/{uploaded['file_key']}?token=")
        assert http.get(uploaded["download_url"]).content == b"a,b\n1,2\n"

    def test_same_name_in_a_session_creates_a_new_version(self, backend: Backend, api: ApiClient) -> None:
        session_id = api.create_session()
        first = api.upload("a.csv", session_id=session_id)

        second = api.upload("a.csv", b"longer than that", session_id=session_id)

        info = {"rows": 0, "columns": 1}
        assert second == expected_file(
            backend, first, session_id=session_id, version=2, size=16, info=info, download_url=second["download_url"]
        )

    def test_link_keeps_returning_the_version_that_it_was_created_for(self, http: TestClient, api: ApiClient) -> None:
        first = api.upload("a.csv", b"one")
        second = api.upload("a.csv", b"two")

        assert http.get(first["download_url"]).content == b"one"
        assert http.get(second["download_url"]).content == b"two"

    @pytest.mark.clause("v2.1:input:normalised")
    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("../../x", "x"),
            ("..\\..\\windows\\win.ini", "win.ini"),
            ("/etc/passwd", "passwd"),
            ("%2e%2e%2fsecret", "secret"),
            ("", "file"),
            ("..", "file"),
            ("a\x00b.csv", "ab.csv"),
            ("a\r\nb.csv", "ab.csv"),
            ("‮gpj.exe", "gpj.exe"),  # noqa: PLE2502  (the case under test)
            ("CON.txt", "_CON.txt"),
            ("-rf", "_rf"),
            ("größe.csv", "größe.csv"),
        ],
    )
    def test_name_is_made_safe(self, api: ApiClient, name: str, expected: str) -> None:
        assert api.upload(name)["name"] == expected

    @pytest.mark.clause("v2.1:filenames:extension")
    def test_long_name_is_shortened_and_keeps_its_extension(self, api: ApiClient) -> None:
        name = api.upload("ä" * 2000 + ".csv")["name"]

        assert len(name.encode()) <= 255
        assert name.endswith(".csv")

    @pytest.mark.parametrize(
        ("name", "mime", "expected"),
        [
            ("a.csv", None, "text/csv"),
            ("a", None, "text/plain"),
            ("a.jsonl", "application/octet-stream", "application/x-ndjson"),
            ("a.csv", "Application/JSON; charset=utf-8", "application/json; charset=utf-8"),
            ("a.csv", "", "text/csv"),
            ("a.csv", "no type", "application/octet-stream"),
            ("a.csv", "text/html\r\nX-Evil: 1", "application/octet-stream"),
            ("a.csv", "text/ünsinn", "application/octet-stream"),
        ],
    )
    def test_valid_mime_type_is_used_or_derived_from_name_and_content(
        self, api: ApiClient, name: str, mime: str | None, expected: str
    ) -> None:
        assert api.upload(name, mime=mime)["mime"] == expected

    @pytest.mark.parametrize("text", ["AAEC\n", "data:text/csv;base64,AAEC", " AA EC "])
    def test_base64_may_have_whitespace_or_be_a_data_url(self, http: TestClient, text: str) -> None:
        uploaded = http.post("/api/files/content", json={"name": "a", "b64": text}).json()

        assert http.get(uploaded["download_url"]).content == b"\x00\x01\x02"

    def test_empty_file_is_accepted(self, http: TestClient, api: ApiClient) -> None:
        uploaded = api.upload("a.csv", b"")

        assert uploaded["size"] == 0
        assert http.get(uploaded["download_url"]).content == b""

    @pytest.mark.parametrize("text", ["A", "AAE", "AA==A", "!!!!", "ÄÖÜ", "AA\x00A", "data:text/csv,AAEC"])
    def test_invalid_base64_is_rejected(self, http: TestClient, text: str) -> None:
        response = http.post("/api/files/content", json={"name": "a", "b64": text})

        assert (response.status_code, response.json()["error_code"]) == (422, "E_INVALID_REQUEST")
        assert response.json()["detail"].startswith("b64: ")

    @pytest.mark.parametrize("session_id", ["x", "s" * 100, "\x00", "", "#", "SESSION#x", "ä" * 100])
    def test_invalid_session_id_is_not_found(self, http: TestClient, session_id: str) -> None:
        response = http.post("/api/files/content", json={"name": "a", "b64": "", "session_id": session_id})

        assert (response.status_code, response.json()) == (404, session_not_found(session_id))

    @pytest.mark.parametrize("session_id", ["s" * 101, "s" * 5000, "ä" * 600])
    def test_long_session_id_is_not_found(self, http: TestClient, session_id: str) -> None:
        for response in (
            http.post("/api/files/content", json={"name": "a", "b64": "", "session_id": session_id}),
            http.post("/api/files", files={"file": ("a", b"x")}, data={"session_id": session_id}),
        ):
            assert (response.status_code, response.json()) == (404, session_not_found(session_id[:100]))

    def test_session_of_another_user_gives_the_error_of_a_missing_one(
        self, api: ApiClient, other_user: TestClient
    ) -> None:
        for session_id in (api.create_session(), random_id("s")):
            response = other_user.post("/api/files/content", json={"name": "a", "b64": "", "session_id": session_id})
            assert (response.status_code, response.json()) == (404, session_not_found(session_id))

    def test_ended_session_is_a_conflict(self, http: TestClient, api: ApiClient) -> None:
        session_id = api.create_session()
        http.delete(f"/api/sessions/{session_id}")

        response = http.post("/api/files/content", json={"name": "a", "b64": "", "session_id": session_id})

        assert (response.status_code, response.json()["error_code"]) == (409, "E_SESSION_ENDED")


class TestUploadAsForm:
    def test_form_creates_a_file(self, backend: Backend, http: TestClient) -> None:
        response = http.post("/api/files", files={"file": ("a.csv", b"a,b\n1,2\n", "text/csv")})

        assert response.status_code == 201
        assert response.json() == expected_file(backend, response.json())

    def test_form_fields_set_session_and_mime_type(self, api: ApiClient, http: TestClient) -> None:
        session_id = api.create_session()

        response = http.post(
            "/api/files",
            files={"file": ("größe.csv", b"x", "text/csv")},
            data={"session_id": session_id, "mime": "text/plain"},
        ).json()

        assert (response["name"], response["mime"], response["session_id"]) == ("größe.csv", "text/plain", session_id)

    def test_form_field_replaces_the_file_name(self, http: TestClient) -> None:
        response = http.post("/api/files", files={"file": ("blob", b"x", "text/csv")}, data={"name": "a.csv"}).json()

        assert response["name"] == "a.csv"

    def test_json_gets_the_content_type_that_the_form_needs(self, http: TestClient) -> None:
        response = http.post("/api/files", json={"name": "a.csv", "b64": ""})

        assert (response.status_code, response.json()["detail"]) == (422, "Send multipart/form-data.")

    def test_empty_form_fields_are_ignored(self, http: TestClient) -> None:
        response = http.post(
            "/api/files", files={"file": ("a.csv", b"x", "text/csv")}, data={"session_id": "", "mime": ""}
        ).json()

        assert (response["mime"], response["session_id"]) == ("text/csv", None)

    @pytest.mark.parametrize("length", [4097, 20_000, 500_000])
    def test_extremely_long_name_is_rejected(self, http: TestClient, length: int) -> None:
        response = http.post("/api/files", files={"file": ("x" * length, b"x")})

        assert response.status_code in {400, 422}
        assert response.json()["error_code"] == "E_INVALID_REQUEST"

    @pytest.mark.parametrize("mime", ["x" * 256, "text/plain; a=" + "b" * 100_000])
    def test_extremely_long_mime_type_is_rejected(self, http: TestClient, mime: str) -> None:
        response = http.post("/api/files", files={"file": ("a", b"x")}, data={"mime": mime})

        assert (response.status_code, response.json()["error_code"]) == (422, "E_INVALID_REQUEST")

    @pytest.mark.parametrize("name", ["../../x", "..\\..\\x", "C:\\Users\\x"])
    def test_name_is_made_safe(self, http: TestClient, name: str) -> None:
        response = http.post("/api/files", files={"file": (name, b"x", "text/csv")})

        assert (response.status_code, response.json()["name"]) == (201, "x")
