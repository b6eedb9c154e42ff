import pytest
from starlette.testclient import TestClient

from satchel.domain.files import Source
from tests.integration.aws.makers import a_file, fresh
from tests.integration.aws.recorded import recorded
from tests.integration.http.desk import Desk, b64, file_not_found, problem, session_not_found, shown_file
from tests.integration.http.world import MAX_INLINE, World


class TestList:
    def test_is_newest_first_in_pages(self, world: World, desk: Desk) -> None:
        made = []
        for number in range(3):
            made.append(desk.upload(f"{number}.csv")["file_key"])
            world.clock.advance(1)

        first = desk.get("/api/files?limit=2")
        second = desk.get(f"/api/files?limit=2&cursor={first['cursor']}")

        assert [file["file_key"] for file in first["files"] + second["files"]] == made[::-1]
        assert second["cursor"] is None

    @pytest.mark.clause("v2.1:storage:hidden")
    def test_shows_whole_files_with_fresh_links(self, world: World, http: TestClient, desk: Desk) -> None:
        uploaded = desk.upload("a.csv")

        [file] = desk.get("/api/files")["files"]

        assert file == shown_file(world, uploaded, download_url=file["download_url"])
        assert http.get(file["download_url"]).status_code == 200

    def test_of_one_session_has_nothing_else(self, http: TestClient, desk: Desk) -> None:
        session_id = desk.session()
        inside = desk.upload("in.csv", session_id=session_id)["file_key"]
        desk.upload("out.csv")

        files = http.get("/api/files", params={"session_id": session_id}).json()["files"]

        assert [file["file_key"] for file in files] == [inside]

    @pytest.mark.parametrize("wanted", ["x", "", "s01kabcdefghjkmnpqrstvwxyz0", "ä" * 100, "\x00"])
    def test_of_no_session_is_not_found(self, http: TestClient, wanted: str) -> None:
        answer = http.get("/api/files", params={"session_id": wanted})

        assert (answer.status_code, answer.json()) == (404, session_not_found(wanted))

    def test_of_somebody_elses_session_is_not_found(self, desk: Desk, stranger: TestClient) -> None:
        assert stranger.get("/api/files", params={"session_id": desk.session()}).status_code == 404

    def test_refuses_a_cursor_that_it_did_not_give(self, http: TestClient) -> None:
        answer = http.get("/api/files", params={"cursor": "U0VTU0lPTiN4"})

        assert (answer.status_code, answer.json()["error_code"]) == (422, "E_INVALID_REQUEST")

    @pytest.mark.parametrize(
        ("asked", "names"),
        [
            ({"source": "uploaded"}, ["b.csv", "a.csv"]),
            ({"source": "generated"}, ["a.html"]),
            ({"category": "report"}, ["a.html"]),
            ({"name_prefix": "a"}, ["a.csv", "a.html"]),
            ({"name_prefix": "a", "source": "deferred"}, []),
        ],
    )
    def test_has_what_is_asked_for(
        self, world: World, user: str, http: TestClient, desk: Desk, asked: dict[str, str], names: list[str]
    ) -> None:
        desk.upload("a.csv")
        world.files.keep(a_file(user, None, "a.html", source=Source.GENERATED, category="report", origin="c"))
        world.clock.advance(1)
        desk.upload("b.csv")

        files = http.get("/api/files", params=asked).json()["files"]

        assert {file["name"] for file in files} == set(names)

    @pytest.mark.parametrize("asked", [{"source": "made up"}, {"name_prefix": "a" * 201}, {"category": "a" * 201}])
    def test_refuses_what_cannot_be_asked(self, http: TestClient, asked: dict[str, str]) -> None:
        assert http.get("/api/files", params=asked).status_code == 422

    def test_costs_one_query_and_one_look_at_the_sessions_however_many_there_are(
        self, world: World, desk: Desk
    ) -> None:
        for _ in range(4):
            desk.upload("a.csv", session_id=desk.session())

        with recorded(world.table.client) as requests:
            desk.get("/api/files?limit=3")

        assert [name for name, _ in requests] == ["Query", "BatchGetItem"]
        assert requests[0][1]["Limit"] == 3

    def test_leaves_out_what_has_expired(self, world: World, user: str, desk: Desk) -> None:
        new = a_file(user, None, "a.csv", expires_at=int(world.clock.now().timestamp()) + 10)
        record = world.files.keep(new)
        assert [file["file_key"] for file in desk.get("/api/files")["files"]] == [record.file_key]

        world.clock.advance(10)

        assert desk.get("/api/files")["files"] == []
        assert desk.http.get(f"/api/files/{record.file_key}").status_code == 404


class TestRead:
    @pytest.mark.clause("v1:files:fetched-apart", "v2:download:two-ways", "v2.1:processing:b64")
    def test_has_the_bytes_as_base64(self, world: World, desk: Desk) -> None:
        uploaded = desk.upload("a.csv")

        read = desk.get(f"/api/files/{uploaded['file_key']}")

        url = read["download_url"]
        assert read == shown_file(world, uploaded, download_url=url, b64=b64(b"a,b\n1,2\n"), s3_ref=None)

    @pytest.mark.clause("v2.1:storage:hidden", "v2.1:processing:reference")
    def test_above_the_limit_has_a_reference_and_a_link(self, world: World, user: str, desk: Desk) -> None:
        new = a_file(user, None, "a.csv", size=MAX_INLINE + 1)
        record = world.files.keep(new)

        read = desk.get(f"/api/files/{record.file_key}")

        assert (read["b64"], read["s3_ref"]) == (None, {"key": new.key, "internal": True})
        assert read["download_url"].startswith(f"/api/files/download/{record.file_key}?token=")

    def test_is_the_newest_version(self, desk: Desk) -> None:
        key = desk.upload("a.csv", b"one")["file_key"]
        desk.upload("a.csv", b"two")

        read = desk.get(f"/api/files/{key}")

        assert (read["version"], read["b64"]) == (2, b64(b"two"))

    def test_of_bytes_that_are_gone_finds_nothing(self, world: World, user: str, http: TestClient) -> None:
        record = world.files.keep(a_file(user, None, "a.csv"))

        answer = http.get(f"/api/files/{record.file_key}")

        assert (answer.status_code, answer.json()) == (404, file_not_found(record.file_key))

    @pytest.mark.clause("v2.1:storage:apart")
    @pytest.mark.parametrize("verb", ["GET", "DELETE"])
    def test_tells_somebody_elses_file_from_none_by_nothing(self, desk: Desk, stranger: TestClient, verb: str) -> None:
        for key in (desk.upload("a.csv")["file_key"], fresh("f"), "x", "artifacts", "s01kabcdefghjkmnpqrstvwxyz0"):
            answer = stranger.request(verb, f"/api/files/{key}")
            assert (answer.status_code, answer.json()) == (404, file_not_found(key))


class TestDelete:
    def test_takes_every_version_with_its_bytes_and_links(self, world: World, http: TestClient, desk: Desk) -> None:
        first = desk.upload("a.csv", b"one")
        second = desk.upload("a.csv", b"two")
        owner, key = http.headers["X-Satchel-User"], first["file_key"]

        answer = http.delete(f"/api/files/{key}")

        assert (answer.status_code, answer.content) == (204, b"")
        assert [http.get(file["download_url"]).status_code for file in (first, second)] == [404, 404]
        assert http.get(f"/api/files/{key}").status_code == 404
        assert http.delete(f"/api/files/{key}").status_code == 404
        listed = world.store.client.list_object_versions(Bucket=world.store.bucket, Prefix=f"{owner}/")
        assert "Versions" not in listed
        assert "DeleteMarkers" not in listed


def test_what_breaks_is_told_in_one_sentence_and_logged(
    world: World, http: TestClient, desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    key = desk.upload("a.csv")["file_key"]
    broken = world.store.bucket
    try:
        object.__setattr__(world.store, "bucket", "no-such-bucket-of-ours")
        answer = http.get(f"/api/files/{key}")
    finally:
        object.__setattr__(world.store, "bucket", broken)

    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json() == problem(
        500, "Internal error", "E_INTERNAL", "Something went wrong on our side; it has been logged."
    )
    assert "NoSuchBucket" in caplog.text
