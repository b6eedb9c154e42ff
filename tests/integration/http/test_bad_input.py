"""What must never be more than a clear refusal: every route that takes a body, every kind of damage to it."""

import json
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from satchel.domain.ids import TurnId
from tests.integration.aws.makers import fresh
from tests.integration.http.desk import Desk, problem
from tests.integration.http.world import MAX_BODY, World

JSON = {"Content-Type": "application/json"}
PROBLEM = "application/problem+json"


@pytest.fixture(
    params=[
        "/api/sessions",
        "/api/sessions/{}/turns",
        "/api/files",
        "/api/files/uploads",
        "/api/canvas/monitor-42/actions",
    ]
)
def url(request: pytest.FixtureRequest, desk: Desk) -> str:
    """Each of the routes that take a body."""
    return str(request.param).format(desk.session())


def code(http: TestClient, url: str, body: bytes, headers: dict[str, str] = JSON) -> tuple[int, str]:
    answer = http.post(url, content=body, headers=headers)
    assert answer.headers["content-type"] == PROBLEM
    told = answer.json()
    assert told["status"] == answer.status_code
    assert {"type", "title", "status", "detail", "error_code"} <= told.keys()
    return answer.status_code, told["error_code"]


class TestJson:
    @pytest.mark.parametrize(
        "body", [b"{", b"[", b"nul", b"{'message': 'x'}", b'{"message": "x"', b"\xff\xfe", b"\x00", b"message=x"]
    )
    def test_that_is_malformed_is_a_bad_request(self, http: TestClient, url: str, body: bytes) -> None:
        assert code(http, url, body) == (400, "E_INVALID_REQUEST")

    @pytest.mark.parametrize("body", [b"[]", b'"text"', b"5", b"true"])
    def test_that_is_no_object_is_refused(self, http: TestClient, url: str, body: bytes) -> None:
        assert code(http, url, body) == (422, "E_INVALID_REQUEST")

    @pytest.mark.parametrize("opening", [b"[", b'{"a":', b'{"message":[', b'{"title":{"a":', b'{"name":['])
    def test_that_is_deep_is_refused(self, http: TestClient, url: str, opening: bytes) -> None:
        status, told = code(http, url, opening * 100_000)

        assert (status, told) in {(400, "E_INVALID_REQUEST"), (422, "E_INVALID_REQUEST")}

    def test_with_a_number_of_a_million_digits_is_refused(self, http: TestClient, url: str) -> None:
        body = b'{"message": ' + b"9" * 1_000_000 + b', "title": ' + b"9" * 1_000_000 + b', "name": 1, "b64": 1}'

        assert code(http, url, body)[0] in {400, 422}

    def test_that_names_a_thing_twice_or_more_than_is_known_is_taken(self, http: TestClient, desk: Desk) -> None:
        url = f"/api/sessions/{desk.session()}/turns"

        answer = http.post(url, content=b'{"message": "a", "message": "b", "more": 1, "__class__": {}}', headers=JSON)

        assert answer.status_code == 202


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
    def test_of_a_turn_have_their_types(self, http: TestClient, desk: Desk, body: object) -> None:
        assert code(http, f"/api/sessions/{desk.session()}/turns", json.dumps(body).encode()) == (
            422,
            "E_INVALID_REQUEST",
        )

    @pytest.mark.parametrize("body", [{"title": 5}, {"title": ["x"]}, {"title": {"a": 1}}, {"title": True}])
    def test_of_a_session_have_their_types(self, http: TestClient, body: object) -> None:
        assert code(http, "/api/sessions", json.dumps(body).encode()) == (422, "E_INVALID_REQUEST")

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
    def test_of_a_file_have_their_types(self, http: TestClient, body: object) -> None:
        assert code(http, "/api/files", json.dumps(body).encode()) == (422, "E_INVALID_REQUEST")

    def test_that_are_wrong_are_named_and_not_echoed(self, http: TestClient, desk: Desk) -> None:
        answer = http.post(f"/api/sessions/{desk.session()}/turns", json={"message": ["a secret"], "files": [7]})

        message, file = "Input should be a valid string", "Input should be a valid string"
        assert answer.json() == problem(
            422,
            "Invalid request",
            "E_INVALID_REQUEST",
            f"body.message: {message}; body.files.0: {file}",
            errors=[{"field": "body.message", "message": message}, {"field": "body.files.0", "message": file}],
        )

    @pytest.mark.parametrize("text", ["\\ud800", "\\udfff", "x\\ud83d", "\\udcc8\\ud83d"])
    def test_with_half_a_character_are_refused(self, http: TestClient, url: str, text: str) -> None:
        fields = ["message", "title", "name"]

        for wrong in fields:
            body = ", ".join(f'"{field}": "{text if field == wrong else "x"}"' for field in fields)
            answer = http.post(url, content=f'{{{body}, "b64": ""}}'.encode(), headers=JSON)
            assert answer.status_code in {201, 202, 400, 409, 422}, answer.text

    @pytest.mark.parametrize("field", ["tools", "files"])
    def test_with_half_a_character_in_a_list_are_refused(self, http: TestClient, desk: Desk, field: str) -> None:
        body = f'{{"message": "x", "{field}": ["\\ud800"]}}'.encode()

        assert code(http, f"/api/sessions/{desk.session()}/turns", body)[0] == 422

    def test_may_hold_nul(self, http: TestClient, desk: Desk) -> None:
        session_id = desk.session(title="a\x00b")
        turn_id = desk.turn(session_id, "a\x00b")

        read = desk.get(f"/api/sessions/{session_id}")

        assert (read["title"], read["turns"][0]["message"]) == ("a\x00b", "a\x00b")
        assert http.delete(f"/api/sessions/{session_id}/turns/{turn_id}").status_code == 200


class TestForms:
    def test_without_a_file_are_refused(self, http: TestClient) -> None:
        for form in ({"other": ("a", b"x")}, {"files": ("a", b"x")}):
            answer = http.post("/api/files", files=form)
            assert answer.status_code == 422
            assert answer.json() == problem(
                422, "Invalid request", "E_INVALID_REQUEST", "The form has no file in its field 'file'."
            )

    def test_whose_file_is_a_text_field_are_refused(self, http: TestClient) -> None:
        boundary = {"Content-Type": "multipart/form-data; boundary=b"}
        body = b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\ntext\r\n--b--\r\n'

        assert code(http, "/api/files", body, boundary) == (422, "E_INVALID_REQUEST")

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
    def test_that_are_malformed_are_refused(self, http: TestClient, header: str, body: bytes) -> None:
        status, told = code(http, "/api/files", body, {"Content-Type": header})

        assert (status, told) in {(400, "E_INVALID_REQUEST"), (422, "E_INVALID_REQUEST")}

    def test_with_more_than_one_file_or_many_fields_are_refused(self, http: TestClient) -> None:
        two = http.post("/api/files", files=[("file", ("a", b"x")), ("file", ("b", b"y"))])
        many = http.post("/api/files", files={"file": ("a", b"x")}, data={f"f{n}": "x" for n in range(20)})

        assert [(answer.status_code, answer.json()["error_code"]) for answer in (two, many)] == [
            (400, "E_INVALID_REQUEST"),
            (400, "E_INVALID_REQUEST"),
        ]

    @pytest.mark.parametrize("charset", ["unicode_escape", "utf-7", "undefined", "idna", "punycode", "nothing", "hex"])
    def test_in_any_charset_are_read_or_refused(self, http: TestClient, charset: str) -> None:
        body = (
            b'--b\r\nContent-Disposition: form-data; name="file"; filename="a\\ud800\xff+2AA-.csv"\r\n\r\nx\r\n'
            b'--b\r\nContent-Disposition: form-data; name="mime"\r\n\r\n\\ud800\r\n--b--\r\n'
        )

        answer = http.post(
            "/api/files", content=body, headers={"Content-Type": f"multipart/form-data; boundary=b; charset={charset}"}
        )

        assert answer.status_code in {201, 400, 422}, answer.text


@pytest.mark.parametrize(
    "header", ["text/plain", "application/x-www-form-urlencoded", "application/xml", "nonsense", "", "x/" + "y" * 5000]
)
def test_another_content_type_is_refused(http: TestClient, url: str, header: str) -> None:
    assert code(http, url, b'{"message": "x"}', {"Content-Type": header})[0] == 422


class TestBodyLimit:
    def expected(self) -> dict[str, object]:
        return problem(413, "Too large", "E_TOO_LARGE", f"The body may have {MAX_BODY} bytes.", limit_bytes=MAX_BODY)

    def test_holds_for_what_is_announced(self, http: TestClient, url: str) -> None:
        answer = http.post(url, content=b"x" * (MAX_BODY + 1), headers=JSON)

        assert (answer.status_code, answer.json()) == (413, self.expected())

    @pytest.mark.parametrize("kind", ["application/json", "multipart/form-data; boundary=b"])
    def test_holds_for_what_comes_without_a_word(self, http: TestClient, url: str, kind: str) -> None:
        def chunks() -> Iterator[bytes]:
            yield b'--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
            for _ in range(7):
                yield b"x" * 1_000_000

        answer = http.post(url, content=chunks(), headers={"Content-Type": kind})

        assert "content-length" not in answer.request.headers
        assert (answer.status_code, answer.json()) == (413, self.expected())

    @pytest.mark.parametrize("announced", ["-1", "x", "1e3", "", "9" * 5000])
    def test_is_not_led_astray_by_a_strange_announcement(self, http: TestClient, announced: str) -> None:
        answer = http.post("/api/sessions", content=b"{}", headers={**JSON, "Content-Length": announced})

        assert answer.status_code in {201, 400, 413}

    def test_lets_through_what_just_fits(self, http: TestClient) -> None:
        body = b'{"title": "x", "more": "' + b"y" * (MAX_BODY - 26) + b'"}'

        assert len(body) == MAX_BODY
        assert http.post("/api/sessions", content=body, headers=JSON).status_code == 201


class TestRoutes:
    @pytest.mark.parametrize("path", ["/", "/api", "/api/", "/api/none", "/api/files/x/y", "/api/sessions/", "/docs"])
    def test_that_are_not_there_are_not_found(self, http: TestClient, path: str) -> None:
        answer = http.get(path)

        assert (answer.status_code, answer.json()) == (404, problem(404, "Not found", "E_NOT_FOUND", "Not Found"))
        assert answer.headers["content-type"] == PROBLEM

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
    def test_by_another_method_are_refused_and_name_theirs(
        self, http: TestClient, verb: str, path: str, allowed: set[str]
    ) -> None:
        answer = http.request(verb, path)

        assert (answer.status_code, answer.json()) == (
            405,
            problem(405, "Method not allowed", "E_METHOD_NOT_ALLOWED", "Method Not Allowed"),
        )
        assert set(answer.headers["allow"].split(", ")) == allowed

    @pytest.mark.parametrize(
        "path", ["/api/sessions/%2e%2e%2fx", "/api/files/%00", "/api/files/%ff", "/api/files/%ED%A0%80"]
    )
    def test_with_strange_bytes_in_an_id_are_not_found(self, http: TestClient, path: str) -> None:
        answer = http.get(path)

        assert (answer.status_code, answer.headers["content-type"]) == (404, PROBLEM)


def test_two_at_once_on_one_turn_do_not_break_anything(world: World, http: TestClient, desk: Desk) -> None:
    """A turn that is cancelled, read and ended by its session all the same ends once."""
    session_id = desk.session()
    turn_id = desk.turn(session_id)

    for _ in range(2):
        assert http.delete(f"/api/sessions/{session_id}/turns/{turn_id}").status_code == 200
        assert http.delete(f"/api/sessions/{session_id}").status_code == 204

    ends = [event for event in world.events.after(TurnId(turn_id), 0, 100) if event.type == "turn_failed"]
    assert len(ends) == 1
    assert http.get(f"/api/sessions/{fresh('s')}").status_code == 404
