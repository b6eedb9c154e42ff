import pytest
from starlette.testclient import TestClient

from tests.integration.aws.makers import fresh
from tests.integration.http.desk import Desk, b64, session_not_found, shown_file
from tests.integration.http.world import World


class TestUploadAsJson:
    def test_makes_a_file_and_a_link_to_it(self, world: World, http: TestClient) -> None:
        answer = http.post("/api/files", json={"name": "a.csv", "b64": b64(b"a,b\n1,2\n")})

        assert answer.status_code == 201
        uploaded = answer.json()
        assert uploaded == shown_file(world, uploaded)
        assert uploaded["download_url"].startswith(f"/api/files/download/{uploaded['file_key']}?token=")
        assert http.get(uploaded["download_url"]).content == b"a,b\n1,2\n"

    def test_into_a_session_again_is_a_new_version(self, world: World, desk: Desk) -> None:
        session_id = desk.session()
        first = desk.upload("a.csv", session_id=session_id)

        second = desk.upload("a.csv", b"longer than that", session_id=session_id)

        alone = {"rows": 0, "columns": 1}
        assert second == shown_file(
            world, first, session_id=session_id, version=2, size=16, info=alone, download_url=second["download_url"]
        )

    def test_an_old_link_still_brings_the_version_that_it_named(self, http: TestClient, desk: Desk) -> None:
        first = desk.upload("a.csv", b"one")
        second = desk.upload("a.csv", b"two")

        assert http.get(first["download_url"]).content == b"one"
        assert http.get(second["download_url"]).content == b"two"

    @pytest.mark.clause("v2.1:input:normalised")
    @pytest.mark.parametrize(
        ("name", "kept"),
        [
            ("../../x", "x"),
            ("..\\..\\windows\\win.ini", "win.ini"),
            ("/etc/passwd", "passwd"),
            ("%2e%2e%2fsecret", "secret"),
            ("", "file"),
            ("..", "file"),
            ("a\x00b.csv", "ab.csv"),
            ("a\r\nb.csv", "ab.csv"),
            ("‮gpj.exe", "gpj.exe"),  # noqa: PLE2502  (the point of it)
            ("CON.txt", "_CON.txt"),
            ("-rf", "_rf"),
            ("größe.csv", "größe.csv"),
        ],
    )
    def test_makes_any_name_safe(self, desk: Desk, name: str, kept: str) -> None:
        assert desk.upload(name)["name"] == kept

    @pytest.mark.clause("v2.1:filenames:extension")
    def test_cuts_a_very_long_name_and_keeps_its_extension(self, desk: Desk) -> None:
        name = desk.upload("ä" * 2000 + ".csv")["name"]

        assert len(name.encode()) <= 255
        assert name.endswith(".csv")

    @pytest.mark.parametrize(
        ("name", "mime", "kept"),
        [
            ("a.csv", None, "text/csv"),
            ("a", None, "application/octet-stream"),
            ("a.csv", "Application/JSON; charset=utf-8", "application/json; charset=utf-8"),
            ("a.csv", "", "text/csv"),
            ("a.csv", "no type", "application/octet-stream"),
            ("a.csv", "text/html\r\nX-Evil: 1", "application/octet-stream"),
            ("a.csv", "text/ünsinn", "application/octet-stream"),
        ],
    )
    def test_takes_a_type_of_good_form_or_goes_by_the_name(
        self, desk: Desk, name: str, mime: str | None, kept: str
    ) -> None:
        assert desk.upload(name, mime=mime)["mime"] == kept

    @pytest.mark.parametrize("text", ["AAEC\n", "data:text/csv;base64,AAEC", " AA EC "])
    def test_reads_base64_as_tools_write_it(self, http: TestClient, text: str) -> None:
        uploaded = http.post("/api/files", json={"name": "a", "b64": text}).json()

        assert http.get(uploaded["download_url"]).content == b"\x00\x01\x02"

    def test_takes_an_empty_file(self, http: TestClient, desk: Desk) -> None:
        uploaded = desk.upload("a.csv", b"")

        assert uploaded["size"] == 0
        assert http.get(uploaded["download_url"]).content == b""

    @pytest.mark.parametrize("text", ["A", "AAE", "AA==A", "!!!!", "ÄÖÜ", "AA\x00A", "data:text/csv,AAEC"])
    def test_refuses_what_is_no_base64(self, http: TestClient, text: str) -> None:
        answer = http.post("/api/files", json={"name": "a", "b64": text})

        assert (answer.status_code, answer.json()["error_code"]) == (422, "E_INVALID_REQUEST")
        assert answer.json()["detail"].startswith("b64: ")

    @pytest.mark.parametrize("wanted", ["x", "s" * 100, "\x00", "", "#", "SESSION#x", "ä" * 100])
    def test_refuses_a_session_that_is_none(self, http: TestClient, wanted: str) -> None:
        answer = http.post("/api/files", json={"name": "a", "b64": "", "session_id": wanted})

        assert (answer.status_code, answer.json()) == (404, session_not_found(wanted))

    @pytest.mark.parametrize("wanted", ["s" * 101, "s" * 5000, "ä" * 600])
    def test_refuses_a_session_whose_id_no_key_of_the_table_could_hold(self, http: TestClient, wanted: str) -> None:
        for answer in (
            http.post("/api/files", json={"name": "a", "b64": "", "session_id": wanted}),
            http.post("/api/files", files={"file": ("a", b"x")}, data={"session_id": wanted}),
        ):
            assert (answer.status_code, answer.json()) == (404, session_not_found(wanted[:100]))

    def test_refuses_a_session_of_somebody_else_as_one_of_nobody(self, desk: Desk, stranger: TestClient) -> None:
        for session_id in (desk.session(), fresh("s")):
            answer = stranger.post("/api/files", json={"name": "a", "b64": "", "session_id": session_id})
            assert (answer.status_code, answer.json()) == (404, session_not_found(session_id))

    def test_refuses_a_session_that_has_ended(self, http: TestClient, desk: Desk) -> None:
        session_id = desk.session()
        http.delete(f"/api/sessions/{session_id}")

        answer = http.post("/api/files", json={"name": "a", "b64": "", "session_id": session_id})

        assert (answer.status_code, answer.json()["error_code"]) == (409, "E_SESSION_ENDED")


class TestUploadAsForm:
    def test_makes_a_file(self, world: World, http: TestClient) -> None:
        answer = http.post("/api/files", files={"file": ("a.csv", b"a,b\n1,2\n", "text/csv")})

        assert answer.status_code == 201
        assert answer.json() == shown_file(world, answer.json())

    def test_takes_session_and_type_as_fields(self, desk: Desk, http: TestClient) -> None:
        session_id = desk.session()

        answer = http.post(
            "/api/files",
            files={"file": ("größe.csv", b"x", "text/csv")},
            data={"session_id": session_id, "mime": "text/plain"},
        ).json()

        assert (answer["name"], answer["mime"], answer["session_id"]) == ("größe.csv", "text/plain", session_id)

    def test_empty_fields_are_as_none(self, http: TestClient) -> None:
        answer = http.post(
            "/api/files", files={"file": ("a.csv", b"x", "text/csv")}, data={"session_id": "", "mime": ""}
        ).json()

        assert (answer["mime"], answer["session_id"]) == ("text/csv", None)

    @pytest.mark.parametrize("length", [4097, 20_000, 500_000])
    def test_refuses_a_name_that_is_absurdly_long(self, http: TestClient, length: int) -> None:
        answer = http.post("/api/files", files={"file": ("x" * length, b"x")})

        assert answer.status_code in {400, 422}
        assert answer.json()["error_code"] == "E_INVALID_REQUEST"

    @pytest.mark.parametrize("mime", ["x" * 256, "text/plain; a=" + "b" * 100_000])
    def test_refuses_a_type_that_is_absurdly_long(self, http: TestClient, mime: str) -> None:
        answer = http.post("/api/files", files={"file": ("a", b"x")}, data={"mime": mime})

        assert (answer.status_code, answer.json()["error_code"]) == (422, "E_INVALID_REQUEST")

    @pytest.mark.parametrize("name", ["../../x", "..\\..\\x", "C:\\Users\\x"])
    def test_makes_any_name_safe(self, http: TestClient, name: str) -> None:
        answer = http.post("/api/files", files={"file": (name, b"x", "text/csv")})

        assert (answer.status_code, answer.json()["name"]) == (201, "x")
