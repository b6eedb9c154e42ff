"""Invalid requests get a problem response, never a server error: all routes with a body, all kinds of damage."""

import json
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from satchel.domain.ids import TurnId
from tests.integration.aws.factories import random_id
from tests.integration.http.api_client import ApiClient, problem
from tests.integration.http.backend import MAX_BODY, Backend

JSON = {"Content-Type": "application/json"}
PROBLEM = "application/problem+json"


@pytest.fixture(
    params=[
        "/api/sessions",
        "/api/sessions/{}/turns",
        "/api/files/content",
        "/api/files/uploads",
        "/api/canvas/monitor-42/actions",
    ]
)
def url(request: pytest.FixtureRequest, api: ApiClient) -> str:
    """The path of each route with a body."""
    return str(request.param).format(api.create_session())


def post_invalid(http: TestClient, url: str, body: bytes, headers: dict[str, str] = JSON) -> tuple[int, str]:
    response = http.post(url, content=body, headers=headers)
    assert response.headers["content-type"] == PROBLEM
    body_json = response.json()
    assert body_json["status"] == response.status_code
    assert {"type", "title", "status", "detail", "error_code"} <= body_json.keys()
    return response.status_code, body_json["error_code"]


class TestJson:
    @pytest.mark.parametrize(
        "body", [b"{", b"[", b"nul", b"{'message': 'x'}", b'{"message": "x"', b"\xff\xfe", b"\x00", b"message=x"]
    )
    def test_malformed_json_is_a_bad_request(self, http: TestClient, url: str, body: bytes) -> None:
        assert post_invalid(http, url, body) == (400, "E_INVALID_REQUEST")

    @pytest.mark.parametrize("body", [b"[]", b'"text"', b"5", b"true"])
    def test_json_that_is_not_an_object_is_rejected(self, http: TestClient, url: str, body: bytes) -> None:
        assert post_invalid(http, url, body) == (422, "E_INVALID_REQUEST")

    @pytest.mark.parametrize("opening", [b"[", b'{"a":', b'{"message":[', b'{"title":{"a":', b'{"name":['])
    def test_deeply_nested_json_is_rejected(self, http: TestClient, url: str, opening: bytes) -> None:
        status, error_code = post_invalid(http, url, opening * 100_000)

        assert (status, error_code) in {(400, "E_INVALID_REQUEST"), (422, "E_INVALID_REQUEST")}

    def test_number_with_a_million_digits_is_rejected(self, http: TestClient, url: str) -> None:
        body = b'{"message": ' + b"9" * 1_000_000 + b', "title": ' + b"9" * 1_000_000 + b', "name": 1, "b64": 1}'

        assert post_invalid(http, url, body)[0] in {400, 422}

    def test_duplicate_fields_are_accepted(self, http: TestClient, api: ApiClient) -> None:
        url = f"/api/sessions/{api.create_session()}/turns"

        response = http.post(url, content=b'{"message": "a", "message": "b"}', headers=JSON)

        assert response.status_code == 202

    @pytest.mark.parametrize("name", ["titel", "__class__"])
    def test_unknown_field_is_refused_by_name(self, http: TestClient, name: str) -> None:
        response = http.post("/api/sessions", json={"title": "x", name: {}})

        assert response.status_code == 422
        assert response.json()["errors"] == [{"field": f"body.{name}", "message": "Extra inputs are not permitted"}]


class TestFields:
    @pytest.mark.parametrize(
        "body",
        [
            {},
            {"message": None},
            {"message": 5},
            {"message": ["x"]},
            {"message": ""},
            {"message": "x", "tools": "report"},
            {"message": "x", "tools": [1]},
            {"message": "x", "tools": {"report": True}},
            {"message": "x", "files": None},
            {"message": "x", "files": "a.csv"},
            {"message": "x", "files": [None]},
        ],
    )
    def test_turn_with_a_field_of_the_wrong_type_is_rejected(
        self, http: TestClient, api: ApiClient, body: object
    ) -> None:
        assert post_invalid(http, f"/api/sessions/{api.create_session()}/turns", json.dumps(body).encode()) == (
            422,
            "E_INVALID_REQUEST",
        )

    @pytest.mark.parametrize("body", [{"title": 5}, {"title": ["x"]}, {"title": {"a": 1}}, {"title": True}])
    def test_session_with_a_field_of_the_wrong_type_is_rejected(self, http: TestClient, body: object) -> None:
        assert post_invalid(http, "/api/sessions", json.dumps(body).encode()) == (422, "E_INVALID_REQUEST")

    @pytest.mark.parametrize(
        "body",
        [
            {},
            {"name": "a"},
            {"b64": ""},
            {"name": None, "b64": ""},
            {"name": 5, "b64": ""},
            {"name": "a", "b64": None},
            {"name": "a", "b64": 5},
            {"name": "a", "b64": "", "mime": 5},
            {"name": "a", "b64": "", "session_id": 5},
            {"name": "x" * 4097, "b64": ""},
            {"name": "a", "b64": "", "mime": "x" * 256},
        ],
    )
    def test_file_with_a_field_of_the_wrong_type_is_rejected(self, http: TestClient, body: object) -> None:
        assert post_invalid(http, "/api/files/content", json.dumps(body).encode()) == (422, "E_INVALID_REQUEST")

    def test_error_names_invalid_fields_but_not_their_values(self, http: TestClient, api: ApiClient) -> None:
        response = http.post(
            f"/api/sessions/{api.create_session()}/turns", json={"message": ["a secret"], "files": [7]}
        )

        message, file = "Input should be a valid string", "Input should be a valid string"
        assert response.json() == problem(
            422,
            "Invalid request",
            "E_INVALID_REQUEST",
            f"body.message: {message}; body.files.0: {file}",
            errors=[{"field": "body.message", "message": message}, {"field": "body.files.0", "message": file}],
        )

    @pytest.mark.parametrize("text", ["\\ud800", "\\udfff", "x\\ud83d", "\\udcc8\\ud83d"])
    def test_lone_surrogate_in_a_field_never_fails_the_server(self, http: TestClient, url: str, text: str) -> None:
        fields = ["message", "title", "name"]

        for invalid in fields:
            body = ", ".join(f'"{field}": "{text if field == invalid else "x"}"' for field in fields)
            response = http.post(url, content=f'{{{body}, "b64": ""}}'.encode(), headers=JSON)
            assert response.status_code in {201, 202, 400, 409, 422}, response.text

    @pytest.mark.parametrize("field", ["tools", "files"])
    def test_lone_surrogate_in_a_list_is_rejected(self, http: TestClient, api: ApiClient, field: str) -> None:
        body = f'{{"message": "x", "{field}": ["\\ud800"]}}'.encode()

        assert post_invalid(http, f"/api/sessions/{api.create_session()}/turns", body)[0] == 422

    def test_nul_character_in_a_field_is_accepted(self, http: TestClient, api: ApiClient) -> None:
        session_id = api.create_session(title="a\x00b")
        turn_id = api.start_turn(session_id, "a\x00b")

        read = api.get_json(f"/api/sessions/{session_id}")

        assert (read["title"], read["turns"][0]["message"]) == ("a\x00b", "a\x00b")
        assert http.delete(f"/api/sessions/{session_id}/turns/{turn_id}").status_code == 200


class TestForms:
    def test_form_without_a_file_is_rejected(self, http: TestClient) -> None:
        for form in ({"name": ("a", b"x")}, {"mime": ("a", b"x")}):
            response = http.post("/api/files", files=form)
            assert response.status_code == 422
            assert response.json() == problem(
                422, "Invalid request", "E_INVALID_REQUEST", "The form has no file in the field 'file'."
            )

    def test_unknown_fields_of_a_form_are_refused_by_name(self, http: TestClient) -> None:
        response = http.post("/api/files", files={"file": ("a", b"x")}, data={"session": "x", "size": "1"})

        assert response.json()["detail"] == "The form has unknown fields: session, size."

    def test_form_with_a_text_field_as_file_is_rejected(self, http: TestClient) -> None:
        boundary = {"Content-Type": "multipart/form-data; boundary=b"}
        body = b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\ntext\r\n--b--\r\n'

        assert post_invalid(http, "/api/files", body, boundary) == (422, "E_INVALID_REQUEST")

    @pytest.mark.parametrize(
        ("header", "body"),
        [
            ("multipart/form-data", b"x"),
            ("multipart/form-data; boundary=", b"x"),
            ("multipart/form-data; boundary=b", b"nonsense"),
            (
                "multipart/form-data; boundary=b",
                b'--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n',
            ),
            ("multipart/form-data; boundary=b", b"--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n"),
            ("multipart/form-data; boundary=b", b"--b\r\nX: y\r\n\r\nx\r\n--b--\r\n"),
            ("multipart/form-data; boundary=" + "b" * 5000, b"x"),
            ("multipart/form-data; boundary=b", b""),
        ],
    )
    def test_malformed_form_is_rejected(self, http: TestClient, header: str, body: bytes) -> None:
        status, error_code = post_invalid(http, "/api/files", body, {"Content-Type": header})

        assert (status, error_code) in {(400, "E_INVALID_REQUEST"), (422, "E_INVALID_REQUEST")}

    def test_form_with_two_files_or_many_fields_is_rejected(self, http: TestClient) -> None:
        two_files = http.post("/api/files", files=[("file", ("a", b"x")), ("file", ("b", b"y"))])
        many_fields = http.post("/api/files", files={"file": ("a", b"x")}, data={f"f{n}": "x" for n in range(20)})

        assert [(response.status_code, response.json()["error_code"]) for response in (two_files, many_fields)] == [
            (400, "E_INVALID_REQUEST"),
            (400, "E_INVALID_REQUEST"),
        ]

    @pytest.mark.parametrize("charset", ["unicode_escape", "utf-7", "undefined", "idna", "punycode", "nothing", "hex"])
    def test_form_in_any_charset_never_fails_the_server(self, http: TestClient, charset: str) -> None:
        body = (
            b'--b\r\nContent-Disposition: form-data; name="file"; filename="a\\ud800\xff+2AA-.csv"\r\n\r\nx\r\n'
            b'--b\r\nContent-Disposition: form-data; name="mime"\r\n\r\n\\ud800\r\n--b--\r\n'
        )

        response = http.post(
            "/api/files", content=body, headers={"Content-Type": f"multipart/form-data; boundary=b; charset={charset}"}
        )

        assert response.status_code in {201, 400, 422}, response.text


@pytest.mark.parametrize(
    "header", ["text/plain", "application/x-www-form-urlencoded", "application/xml", "nonsense", "", "x/" + "y" * 5000]
)
def test_other_content_type_is_rejected(http: TestClient, url: str, header: str) -> None:
    assert post_invalid(http, url, b'{"message": "x"}', {"Content-Type": header})[0] == 422


class TestBodyLimit:
    def expected_problem(self) -> dict[str, object]:
        return problem(
            413, "Too large", "E_TOO_LARGE", f"The body may have at most {MAX_BODY} bytes.", limit_bytes=MAX_BODY
        )

    def test_content_length_over_the_limit_is_rejected(self, http: TestClient, url: str) -> None:
        response = http.post(url, content=b"x" * (MAX_BODY + 1), headers=JSON)

        assert (response.status_code, response.json()) == (413, self.expected_problem())

    @pytest.mark.parametrize("kind", ["application/json", "multipart/form-data; boundary=b"])
    def test_body_over_the_limit_without_content_length_is_rejected(
        self, http: TestClient, url: str, kind: str
    ) -> None:
        def chunks() -> Iterator[bytes]:
            yield b'--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
            for _ in range(7):
                yield b"x" * 1_000_000

        response = http.post(url, content=chunks(), headers={"Content-Type": kind})

        assert "content-length" not in response.request.headers
        assert (response.status_code, response.json()) == (413, self.expected_problem())

    @pytest.mark.parametrize("content_length", ["-1", "x", "1e3", "", "9" * 5000])
    def test_invalid_content_length_never_fails_the_server(self, http: TestClient, content_length: str) -> None:
        response = http.post("/api/sessions", content=b"{}", headers={**JSON, "Content-Length": content_length})

        assert response.status_code in {201, 400, 413}

    def test_body_of_exactly_the_limit_is_accepted(self, http: TestClient) -> None:
        body = b'{"title": "x"' + b" " * (MAX_BODY - 14) + b"}"

        assert len(body) == MAX_BODY
        assert http.post("/api/sessions", content=body, headers=JSON).status_code == 201


class TestRoutes:
    @pytest.mark.parametrize("path", ["/", "/api", "/api/", "/api/none", "/api/files/x/y", "/api/sessions/", "/docs"])
    def test_unknown_path_is_not_found(self, http: TestClient, path: str) -> None:
        response = http.get(path)

        assert (response.status_code, response.json()) == (404, problem(404, "Not found", "E_NOT_FOUND", "Not Found"))
        assert response.headers["content-type"] == PROBLEM

    @pytest.mark.parametrize(
        ("verb", "path", "allowed"),
        [
            ("PUT", "/api/sessions", {"GET", "POST"}),
            ("DELETE", "/api/config", {"GET"}),
            ("PUT", "/api/sessions/x", {"GET", "PATCH", "DELETE"}),
            ("POST", "/api/files/download/x", {"GET", "HEAD"}),
            ("GET", "/api/sessions/x/turns", {"POST"}),
            ("TRACE", "/api/health", {"GET"}),
        ],
    )
    def test_other_method_is_rejected_with_the_allowed_methods(
        self, http: TestClient, verb: str, path: str, allowed: set[str]
    ) -> None:
        response = http.request(verb, path)

        assert (response.status_code, response.json()) == (
            405,
            problem(405, "Method not allowed", "E_METHOD_NOT_ALLOWED", "Method Not Allowed"),
        )
        assert set(response.headers["allow"].split(", ")) == allowed

    @pytest.mark.parametrize(
        "path", ["/api/sessions/%2e%2e%2fx", "/api/files/%00", "/api/files/%ff", "/api/files/%ED%A0%80"]
    )
    def test_id_with_special_bytes_is_not_found(self, http: TestClient, path: str) -> None:
        response = http.get(path)

        assert (response.status_code, response.headers["content-type"]) == (404, PROBLEM)


def test_turn_that_is_cancelled_and_ended_repeatedly_ends_once(
    backend: Backend, http: TestClient, api: ApiClient
) -> None:
    session_id = api.create_session()
    turn_id = api.start_turn(session_id)

    for _ in range(2):
        assert http.delete(f"/api/sessions/{session_id}/turns/{turn_id}").status_code == 200
        assert http.delete(f"/api/sessions/{session_id}").status_code == 204

    ends = [event for event in backend.events.list_after(TurnId(turn_id), 0, 100) if event.type == "turn_failed"]
    assert len(ends) == 1
    assert http.get(f"/api/sessions/{random_id('s')}").status_code == 404
