"""Links that show a conversation read-only: create, open without sign-in, list, revoke."""

import pytest
from starlette.testclient import TestClient

from satchel.domain.ids import SessionId, UserName
from satchel.services.sessions.clean_up_session import GRACE
from tests.integration.aws.factories import random_id
from tests.integration.http.api_client import ApiClient, Json, problem, session_not_found
from tests.integration.http.backend import Backend
from tests.integration.http.erasure import confirm_erasure, find_data, find_leftovers, identifiers, run_erasure

WEEK = 7 * 86_400
NOT_FOUND = problem(
    404, "Not found", "E_LINK_NOT_FOUND", "There is no such chat, or the link has expired or was revoked."
)


def answered(backend: Backend, api: ApiClient, user: UserName, session_id: str, message: str, **fields: object) -> str:
    turn_id = api.start_turn(session_id, message, **fields)
    backend.request_approval(user, session_id, turn_id)
    backend.complete_turn(user, session_id, turn_id, f"Answer to {message}")
    backend.clock.advance(1)
    return turn_id


def share(api: ApiClient, session_id: str, **fields: object) -> Json:
    response = api.http.post(f"/api/sessions/{session_id}/links", json=fields)
    assert response.status_code == 201, response.text
    link: Json = response.json()
    return link


def token_of(link: Json) -> str:
    return str(link["url"]).partition("#share=")[2]


def read(anonymous: TestClient, link: Json, **query: str | int) -> Json:
    response = anonymous.get("/api/shared-chat", params={"token": token_of(link), **query})
    assert response.status_code == 200, response.text
    chat: Json = response.json()
    return chat


def is_readable(anonymous: TestClient, link: Json) -> bool:
    response = anonymous.get("/api/shared-chat", params={"token": token_of(link)})
    assert response.status_code == 200 or response.json() == NOT_FOUND
    return response.status_code == 200


@pytest.fixture
def session_id(backend: Backend, api: ApiClient, user: UserName) -> str:
    session_id = api.create_session(title="August sales", instructions="SECRET INSTRUCTIONS")
    answered(backend, api, user, session_id, "How many rows?")
    return session_id


class TestOpen:
    def test_viewer_sees_messages_answers_and_tools_but_no_arguments_or_user(
        self, backend: Backend, api: ApiClient, anonymous: TestClient, user: UserName, session_id: str
    ) -> None:
        link = share(api, session_id)

        chat = read(anonymous, link)

        [turn] = chat["turns"]
        assert (chat["title"], chat["cursor"]) == ("August sales", None)
        assert (turn["message"], turn["answer"]) == ("How many rows?", "Answer to How many rows?")
        assert turn["tool_calls"] == [{"tool": "report.summarise", "is_error": False, "duration_ms": None}]
        assert not [text for text in (user, "SECRET", session_id) if text in str(chat)]
        assert backend.clock.now().isoformat().replace("+00:00", "Z") == chat["shared_at"]

    def test_response_is_not_indexed_cached_or_named_in_referrers(
        self, api: ApiClient, anonymous: TestClient, session_id: str
    ) -> None:
        token = token_of(share(api, session_id))

        headers = anonymous.get("/api/shared-chat", params={"token": token}).headers

        assert headers["x-robots-tag"] == "noindex, nofollow"
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "no-referrer"

    def test_later_and_running_turns_are_not_shown(
        self, backend: Backend, api: ApiClient, anonymous: TestClient, user: UserName, session_id: str
    ) -> None:
        running = api.start_turn(session_id, "Running")
        link = share(api, session_id)
        assert [turn["message"] for turn in read(anonymous, link)["turns"]] == ["How many rows?"]
        backend.complete_turn(user, session_id, running)
        backend.clock.advance(1)
        answered(backend, api, user, session_id, "Later")

        assert [turn["message"] for turn in read(anonymous, link)["turns"]] == ["How many rows?", "Running"]
        assert read(anonymous, link, limit=2)["cursor"] is not None
        following = read(anonymous, link, limit=2, cursor=read(anonymous, link, limit=2)["cursor"])
        assert (following["turns"], following["cursor"]) == ([], None)

    def test_pages_have_all_turns_in_order(
        self, backend: Backend, api: ApiClient, anonymous: TestClient, user: UserName, session_id: str
    ) -> None:
        for number in range(2):
            answered(backend, api, user, session_id, f"{number}")
        link = share(api, session_id)

        first = read(anonymous, link, limit=2)
        second = read(anonymous, link, limit=2, cursor=first["cursor"])

        messages = [turn["message"] for turn in first["turns"] + second["turns"]]
        assert messages == ["How many rows?", "0", "1"]

    def test_page_of_large_turns_is_shorter_and_none_is_lost(
        self,
        backend: Backend,
        api: ApiClient,
        anonymous: TestClient,
        user: UserName,
        session_id: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        for number in range(2):
            answered(backend, api, user, session_id, f"{number}" * 50)
        link = share(api, session_id)
        monkeypatch.setattr("satchel.services.sessions.share_chat.MAX_PAGE_BYTES", 150)

        first = read(anonymous, link)
        second = read(anonymous, link, cursor=first["cursor"])

        assert [len(page["turns"]) for page in (first, second)] == [2, 1]
        assert second["cursor"] is None

    def test_only_the_chosen_branch_is_shown(
        self, backend: Backend, api: ApiClient, anonymous: TestClient, user: UserName
    ) -> None:
        session_id = api.create_session()
        first, second = (answered(backend, api, user, session_id, text) for text in ("one", "SECRET"))
        edited = answered(backend, api, user, session_id, "edited", after=first)

        def messages(**fields: object) -> list[str]:
            return [turn["message"] for turn in read(anonymous, share(api, session_id, **fields))["turns"]]

        assert messages() == messages(turn_id=edited) == ["one", "edited"]
        assert messages(turn_id=second) == ["one", "SECRET"]
        assert messages(turn_id=first) == ["one"]
        missing = api.http.post(f"/api/sessions/{session_id}/links", json={"turn_id": random_id("t")})
        assert (missing.status_code, missing.json()["error_code"]) == (404, "E_TURN_NOT_FOUND")

    @pytest.mark.parametrize("token", ["", "forged", "x" * 100])
    def test_forged_secret_is_rejected_like_a_revoked_one(self, anonymous: TestClient, token: str) -> None:
        response = anonymous.get("/api/shared-chat", params={"token": token})

        assert (response.status_code, response.json()) == (404, NOT_FOUND)


class TestEnd:
    def test_link_works_until_its_expiry(
        self, backend: Backend, api: ApiClient, anonymous: TestClient, session_id: str
    ) -> None:
        link = share(api, session_id)

        backend.clock.advance(WEEK - 1)
        assert is_readable(anonymous, link)
        backend.clock.advance(1)
        assert not is_readable(anonymous, link)
        assert api.get_json("/api/chat-links")["links"] == []

    def test_revoked_link_stops_working_and_leaves_no_item(
        self, backend: Backend, api: ApiClient, anonymous: TestClient, session_id: str
    ) -> None:
        link, other = share(api, session_id), share(api, session_id)

        for _ in range(2):
            assert api.http.delete(f"/api/chat-links/{link['chat_link_id']}").status_code == 204

        assert not is_readable(anonymous, link)
        assert find_data(backend, link["chat_link_id"]) == []
        assert is_readable(anonymous, other)

    def test_link_of_another_user_cannot_be_revoked(
        self, api: ApiClient, other_user: TestClient, anonymous: TestClient, session_id: str
    ) -> None:
        link = share(api, session_id)

        assert other_user.delete(f"/api/chat-links/{link['chat_link_id']}").status_code == 204
        assert is_readable(anonymous, link)

    def test_end_of_the_session_ends_its_links(self, api: ApiClient, anonymous: TestClient, session_id: str) -> None:
        link = share(api, session_id)

        assert api.http.delete(f"/api/sessions/{session_id}").status_code == 204

        assert not is_readable(anonymous, link)
        assert api.get_json("/api/chat-links")["links"] == []
        again = api.http.post(f"/api/sessions/{session_id}/links")
        assert (again.status_code, again.json()["error_code"]) == (409, "E_SESSION_ENDED")

    def test_deleted_conversation_leaves_no_links(
        self, backend: Backend, api: ApiClient, anonymous: TestClient, user: UserName, session_id: str
    ) -> None:
        link, other = share(api, session_id), share(api, api.create_session())

        assert api.http.delete(f"/api/conversations/{session_id}").status_code == 204
        assert not is_readable(anonymous, link)
        backend.clock.advance(GRACE.total_seconds())
        session = backend.sessions.get_ended(user, SessionId(session_id))
        assert session is not None
        backend.use_cases.clean_up_session(session, lambda: True)

        assert find_data(backend, link["chat_link_id"]) == []
        assert is_readable(anonymous, other)

    def test_erasure_deletes_links_and_what_points_to_them(
        self, backend: Backend, api: ApiClient, anonymous: TestClient, user: UserName, session_id: str
    ) -> None:
        link = share(api, session_id)
        words = [*identifiers(backend, user), link["chat_link_id"]]
        confirm_erasure(api.http)

        run_erasure(backend, user)

        assert not is_readable(anonymous, link)
        assert find_leftovers(backend, words) == []


class TestList:
    def test_links_of_a_session_are_listed_newest_first_without_their_secret(
        self, backend: Backend, api: ApiClient, session_id: str
    ) -> None:
        first = share(api, session_id)
        backend.clock.advance(1)
        second = share(api, session_id, ttl_seconds=60, with_files=True)
        other = share(api, api.create_session())

        listed = api.get_json(f"/api/chat-links?session_id={session_id}")["links"]

        assert listed == [{name: link[name] for name in link if name != "url"} for link in (second, first)]
        assert len(api.get_json("/api/chat-links")["links"]) == 3
        for link in (first, second, other):
            assert len(token_of(link)) == 43
            assert find_data(backend, token_of(link)) == []

    @pytest.mark.parametrize("ttl", [59, 90 * 86_400 + 1, "a week", None])
    def test_invalid_lifetime_is_rejected(self, api: ApiClient, session_id: str, ttl: object) -> None:
        response = api.http.post(f"/api/sessions/{session_id}/links", json={"ttl_seconds": ttl})

        assert (response.status_code, response.json()["error_code"]) == (422, "E_INVALID_REQUEST")

    def test_session_of_another_user_cannot_be_shared(self, other_user: TestClient, session_id: str) -> None:
        for each in (session_id, random_id("s")):
            response = other_user.post(f"/api/sessions/{each}/links")
            assert (response.status_code, response.json()) == (404, session_not_found(each))
