"""The routes of sign-in and sign-out, the check of each request's session, and attacks on them."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from local.emulator.access_checks import HostAndOriginCheck
from local.emulator.sign_in.gateway import PasswordGateway, identity_from_session
from satchel.domain.errors import NotAllowed
from satchel.domain.users import Identity
from tests.fakes.accounts import CLIENT, IDLE_HOURS, MAX_HOURS, PASSWORD, SignInParts

PORT, HOST, ORIGIN = 8000, "127.0.0.1:8000", "http://127.0.0.1:8000"
SOCKET = f"ws://{HOST}/ws"
OWN_PAGE = {"Host": HOST, "Origin": ORIGIN}
COOKIE = "satchel-session"
HOUR = 3600.0
WRONG = {
    "type": "about:blank",
    "title": "Unauthorized",
    "status": 401,
    "detail": "The name or the password is wrong.",
    "error_code": "E_SIGN_IN_FAILED",
}
NewClient = Callable[..., TestClient]


async def api(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the user of the request. Echo the messages of a WebSocket."""
    if scope["type"] == "websocket":
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        try:
            while True:
                await socket.send_text(await socket.receive_text())
        except WebSocketDisconnect:
            return
    try:
        response: Response = JSONResponse({"user": identity_from_session(Request(scope)).name})
    except NotAllowed:
        response = JSONResponse({"user": None})
    await response(scope, receive, send)


@pytest.fixture(autouse=True)
def _accounts(parts: SignInParts) -> None:
    parts.accounts.add("ada", PASSWORD, ["staff"])
    parts.accounts.add("bob", "the password of bob")


@pytest.fixture
def new_client(parts: SignInParts) -> NewClient:
    """Factory of clients with a cookie jar each. They share one server."""
    gateway = parts.gateway(api)

    def create(address: str = "10.0.0.1", headers: dict[str, str] | None = None) -> TestClient:
        app = HostAndOriginCheck(gateway, PORT)
        return TestClient(app, base_url=ORIGIN, client=(address, 5000), headers=CLIENT if headers is None else headers)

    return create


@pytest.fixture
def http(new_client: NewClient) -> TestClient:
    return new_client()


def sign_in(http: TestClient, user: str = "ada", password: str = PASSWORD, **options: Any) -> httpx2.Response:  # noqa: ANN401  (the options of the client)
    response: httpx2.Response = http.post("/auth/sign-in", json={"user": user, "password": password}, **options)
    return response


def user_of(http: TestClient, **options: Any) -> str | None:  # noqa: ANN401  (the options of the client)
    """Return the user as whom a request reaches the API, or None if it does not reach it."""
    response = http.post("/api/sessions", **options)
    return response.json()["user"] if response.status_code == 200 else None


class TestSignIn:
    def test_user_is_signed_in_until_the_sign_out(self, http: TestClient) -> None:
        assert user_of(http) is None
        assert sign_in(http).json() == {"user": "ada"}
        assert user_of(http) == "ada"

        assert http.post("/auth/sign-out").status_code == 204
        assert COOKIE not in http.cookies
        assert user_of(http) is None

    def test_name_may_be_written_in_capital_letters(self, http: TestClient) -> None:
        assert sign_in(http, "ADA").status_code == 200
        assert user_of(http) == "ada"

    def test_cookie_is_closed_to_scripts_and_other_sites(self, http: TestClient) -> None:
        cookie = sign_in(http).headers["set-cookie"]

        assert set(cookie.partition("; ")[2].split("; ")) == {
            "HttpOnly",
            "SameSite=strict",
            "Path=/",
            f"Max-Age={int(MAX_HOURS * HOUR)}",
        }

    def test_cookie_of_an_https_server_is_sent_only_to_its_host_by_https(self, parts: SignInParts) -> None:
        http = TestClient(parts.gateway(api, secure=True), base_url="https://satchel.example", headers=CLIENT)
        cookie = sign_in(http).headers["set-cookie"]

        assert cookie.startswith("__Host-satchel-session=")
        assert {"Secure", "Path=/"} <= set(cookie.split("; "))
        assert "Domain" not in cookie
        assert user_of(http) == "ada"

    def test_wrong_name_and_wrong_password_get_the_same_response(self, new_client: NewClient) -> None:
        attempts = [("ada", "wrong"), ("nobody", PASSWORD), ("", ""), ("../ada", PASSWORD), ("ada", ""), ("ada\0", "x")]
        responses = [sign_in(new_client(), *attempt) for attempt in attempts]

        assert [(each.status_code, each.json()) for each in responses] == [(401, WRONG)] * len(attempts)
        assert {tuple(sorted(set(each.headers.items()))) for each in responses} == {
            tuple(sorted(responses[0].headers.items()))
        }
        assert "set-cookie" not in responses[0].headers

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"{",
            b"[]",
            b"null",
            b'{"user": "ada"}',
            b'{"user": 1, "password": 2}',
            b'{"user": "a", "password": "b", "c": 1}',
        ],
    )
    def test_other_bodies_are_refused(self, http: TestClient, body: bytes) -> None:
        response = http.post("/auth/sign-in", content=body, headers={"Content-Type": "application/json"})

        assert response.status_code == 422

    def test_large_body_is_refused(self, http: TestClient) -> None:
        assert sign_in(http, password="x" * 100_000).status_code == 413
        assert sign_in(http, password="x" * 1_001).status_code == 422
        chunks = (b"x" * 1000 for _ in range(100))
        headers = {"Content-Type": "application/json"}
        assert http.post("/auth/sign-in", content=chunks, headers=headers).status_code == 413

    @pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"])
    @pytest.mark.parametrize("path", ["/auth/sign-in", "/auth/sign-out"])
    def test_other_methods_are_refused(self, http: TestClient, method: str, path: str) -> None:
        response = http.request(method, path)

        assert (response.status_code, response.headers["allow"]) == (405, "POST")

    def test_responses_are_not_cached(self, http: TestClient) -> None:
        responses = [sign_in(http, "ada", "wrong"), sign_in(http), http.post("/auth/sign-out")]

        assert {each.headers["cache-control"] for each in responses} == {"no-store"}

    def test_disk_that_cannot_be_written_is_reported_and_ends_no_session(
        self, new_client: NewClient, parts: SignInParts
    ) -> None:
        http, other = new_client(), new_client()
        sign_in(http)
        parts.sessions.database.read("PRAGMA query_only = ON")
        parts.clock.advance(HOUR)

        response = sign_in(other)

        assert (response.status_code, response.json()["error_code"]) == (503, "E_UNAVAILABLE")
        assert user_of(http) == "ada"

    def test_public_path_needs_no_session(self, http: TestClient) -> None:
        assert http.get("/api/health").json() == {"user": None}


class TestSessions:
    def test_session_ends_after_the_idle_time(self, http: TestClient, parts: SignInParts) -> None:
        sign_in(http)
        parts.clock.advance(IDLE_HOURS * HOUR - 1)
        assert user_of(http) == "ada"
        parts.clock.advance(IDLE_HOURS * HOUR)
        assert user_of(http) is None

    def test_session_ends_after_the_absolute_time(self, http: TestClient, parts: SignInParts) -> None:
        sign_in(http)
        token = http.cookies[COOKIE]
        for _ in range(int(MAX_HOURS) - 1):
            parts.clock.advance(HOUR)
            assert user_of(http, headers={"Authorization": f"Bearer {token}"}) == "ada"
        parts.clock.advance(HOUR)
        assert user_of(http, headers={"Authorization": f"Bearer {token}"}) is None

    def test_all_sessions_end_when_the_password_changes(self, new_client: NewClient, parts: SignInParts) -> None:
        ada, also_ada, bob = new_client(), new_client(), new_client()
        for http in (ada, also_ada):
            sign_in(http)
        sign_in(bob, "bob", "the password of bob")

        parts.accounts.set_password("ada", "another password")

        assert [user_of(http) for http in (ada, also_ada, bob)] == [None, None, "bob"]
        assert sign_in(ada).status_code == 401
        assert sign_in(ada, password="another password").status_code == 200

    def test_all_sessions_end_when_the_account_is_removed(self, http: TestClient, parts: SignInParts) -> None:
        sign_in(http)
        parts.accounts.remove("ada")

        assert user_of(http) is None
        parts.accounts.add("ada", PASSWORD)  # a new account of the name does not revive them
        assert user_of(http) is None

    def test_sign_out_ends_the_session_for_copies_of_its_cookie(self, http: TestClient, new_client: NewClient) -> None:
        sign_in(http)
        thief = new_client()
        thief.cookies.set(COOKIE, http.cookies[COOKIE])
        assert user_of(thief) == "ada"

        http.post("/auth/sign-out")

        assert user_of(thief) is None

    def test_refused_response_says_how_to_sign_in(self, http: TestClient) -> None:
        response = http.get("/api/me")

        assert (response.status_code, response.json()["error_code"]) == (401, "E_UNAUTHORIZED")
        assert "satchel sign-in" in response.json()["detail"]
        assert response.headers["www-authenticate"] == "Bearer"

    @pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER "])
    def test_client_without_cookies_sends_its_session_as_a_token(self, new_client: NewClient, scheme: str) -> None:
        http = new_client()
        sign_in(http)
        token = http.cookies[COOKIE]

        assert user_of(new_client(headers={}), headers={"Authorization": f"{scheme} {token}"}) == "ada"

    @pytest.mark.parametrize("value", ["", "Bearer", "Bearer x", "Basic {token}", "{token}", "Bearer {token}x"])
    def test_other_token_is_refused_even_beside_a_valid_cookie(self, http: TestClient, value: str) -> None:
        sign_in(http)

        assert user_of(http, headers={"Authorization": value.format(token=http.cookies[COOKIE])}) is None

    def test_second_authorization_header_is_refused(self, http: TestClient) -> None:
        sign_in(http)
        good = ("Authorization", f"Bearer {http.cookies[COOKIE]}")

        assert user_of(http, headers=[good, good]) is None


class TestFixation:
    def test_sign_in_never_adopts_an_id_that_it_was_given(self, new_client: NewClient) -> None:
        victim, attacker = new_client(), new_client()
        for fixed in ("chosen-by-the-attacker", "x" * 43):
            victim.cookies.set(COOKIE, fixed, domain="127.0.0.1", path="/")
            attacker.cookies.set(COOKIE, fixed, domain="127.0.0.1", path="/")
            sign_in(victim)

            assert user_of(victim) == "ada"
            assert user_of(attacker) is None

    def test_session_of_the_attacker_ends_when_the_victim_signs_in_with_it(self, new_client: NewClient) -> None:
        victim, attacker = new_client(), new_client()
        sign_in(attacker, "bob", "the password of bob")
        victim.cookies.set(COOKIE, attacker.cookies[COOKIE], domain="127.0.0.1", path="/")

        sign_in(victim)

        assert victim.cookies[COOKIE] != attacker.cookies[COOKIE]
        assert (user_of(victim), user_of(attacker)) == ("ada", None)

    def test_each_sign_in_has_a_new_id_and_ends_the_previous_one(self, http: TestClient, new_client: NewClient) -> None:
        sign_in(http)
        before = http.cookies[COOKIE]
        sign_in(http)
        old = new_client()
        old.cookies.set(COOKIE, before)

        assert http.cookies[COOKIE] != before
        assert (user_of(http), user_of(old)) == ("ada", None)

    def test_failed_sign_in_leaves_the_session(self, http: TestClient) -> None:
        sign_in(http)
        assert sign_in(http, "bob", "wrong").status_code == 401

        assert user_of(http) == "ada"


SIMPLE_TYPES = ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", ""]
FOREIGN = ["https://evil.example", "null", "http://127.0.0.1:9000", "http://localhost", "https://127.0.0.1:8000", ""]


class TestForgedRequests:
    """Requests that a page of another site can cause in a browser that ignores SameSite and sends the cookie."""

    @pytest.mark.parametrize("path", ["/api/sessions", "/auth/sign-out", "/auth/sign-in"])
    @pytest.mark.parametrize("origin", FOREIGN)
    def test_request_of_a_foreign_origin_is_refused(self, http: TestClient, origin: str, path: str) -> None:
        sign_in(http)

        response = http.post(path, json={"user": "bob", "password": "the password of bob"}, headers={"Origin": origin})

        assert response.status_code == 403
        assert user_of(http) == "ada"

    @pytest.mark.parametrize("path", ["/api/sessions", "/auth/sign-out", "/auth/sign-in"])
    @pytest.mark.parametrize("media_type", [*SIMPLE_TYPES, "application/json"])
    def test_request_without_the_client_header_is_refused(
        self, http: TestClient, new_client: NewClient, path: str, media_type: str
    ) -> None:
        """A form can send neither the header nor JSON, and a script only after the server has agreed."""
        sign_in(http)
        browser = new_client(headers={})
        browser.cookies.set(COOKIE, http.cookies[COOKIE])
        body = json.dumps({"user": "bob", "password": "the password of bob"})

        for origin in ({}, {"Origin": ORIGIN}):
            response = browser.post(path, content=body, headers={"Content-Type": media_type} | origin)
            assert (response.status_code, "set-cookie" in response.headers) == (403, False)
        assert user_of(http) == "ada"

    @pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
    def test_other_methods_need_the_client_header_too(
        self, http: TestClient, new_client: NewClient, method: str
    ) -> None:
        sign_in(http)
        browser = new_client(headers={})
        browser.cookies.set(COOKIE, http.cookies[COOKIE])

        assert browser.request(method, "/api/sessions").status_code == 403

    @pytest.mark.parametrize("media_type", [*SIMPLE_TYPES, "application/json-patch+json"])
    def test_sign_in_accepts_only_json(self, http: TestClient, media_type: str) -> None:
        body = json.dumps({"user": "ada", "password": PASSWORD})

        assert http.post("/auth/sign-in", content=body, headers={"Content-Type": media_type}).status_code == 415
        assert http.post(
            "/auth/sign-in", content=body, headers={"Content-Type": "application/json; charset=utf-8"}
        ).is_success

    def test_preflight_of_a_foreign_page_is_never_answered_with_consent(self, http: TestClient) -> None:
        sign_in(http)
        headers = {
            "Origin": "https://evil.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "x-satchel-client",
        }

        for path in ("/auth/sign-in", "/auth/sign-out", "/api/sessions"):
            response = http.options(path, headers=headers)
            assert response.status_code == 403
            assert not [name for name in response.headers if name.startswith("access-control")]

    @pytest.mark.parametrize("site", ["cross-site", "same-site"])
    def test_request_of_another_page_without_an_origin_is_refused(self, http: TestClient, site: str) -> None:
        sign_in(http)

        assert http.get("/api/me", headers={"Sec-Fetch-Site": site}).status_code == 403


class TestGuessing:
    def test_guesses_are_slowed_down(self, new_client: NewClient, parts: SignInParts) -> None:
        http = new_client()
        statuses = [sign_in(http, password=f"guess {number}").status_code for number in range(8)]
        assert statuses == [401] * 6 + [429] * 2

        refused = sign_in(http)  # the right password has to wait, too
        assert refused.json()["error_code"] == "E_TOO_MANY_ATTEMPTS"
        parts.clock.advance(int(refused.headers["retry-after"]))
        assert sign_in(http).status_code == 200

    def test_unknown_name_is_slowed_down_like_a_known_one(self, new_client: NewClient) -> None:
        def outcomes(user: str, address: str) -> list[tuple[int, str, str | None]]:
            http = new_client(address)
            responses = [sign_in(http, user, "wrong") for _ in range(12)]
            return [(each.status_code, each.text, each.headers.get("retry-after")) for each in responses]

        assert outcomes("ada", "10.0.0.1") == outcomes("nobody", "10.0.0.2")

    def test_many_names_from_one_address_are_slowed_down(self, new_client: NewClient) -> None:
        http = new_client()
        statuses = [sign_in(http, f"user{number}", "wrong").status_code for number in range(14)]

        assert statuses == [401] * 11 + [429] * 3
        assert sign_in(new_client("10.0.0.2")).status_code == 200

    def test_session_continues_while_its_account_is_attacked(self, new_client: NewClient) -> None:
        owner, attacker = new_client("10.0.0.1"), new_client("10.0.0.2")
        sign_in(owner)
        for number in range(20):
            sign_in(attacker, password=f"guess {number}")

        assert user_of(owner) == "ada"


class TestIdentity:
    def test_headers_with_a_user_are_not_believed(self, http: TestClient) -> None:
        forged = {"X-Satchel-User": "bob", "X-Satchel-Groups": "admins"}
        assert user_of(http, headers=forged) is None
        sign_in(http)
        assert user_of(http, headers=forged) == "ada"

    def test_api_gets_the_groups_of_the_account(self, parts: SignInParts) -> None:
        found: list[Identity] = []

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            found.append(identity_from_session(Request(scope)))
            await Response()(scope, receive, send)

        http = TestClient(parts.gateway(app), headers=CLIENT)
        sign_in(http)
        http.get("/api/me")

        assert found == [Identity(name="ada", groups=frozenset({"users", "staff"}))]


class TestWebSockets:
    def refused(self, http: TestClient, headers: dict[str, str]) -> bool:
        try:
            with http.websocket_connect(SOCKET, headers=headers):
                return False
        except WebSocketDisconnect:
            return True

    def test_connection_needs_a_session_and_the_own_origin(self, http: TestClient) -> None:
        assert self.refused(http, OWN_PAGE)
        sign_in(http)
        assert self.refused(http, {"Host": HOST})
        assert self.refused(http, {"Host": HOST, "Origin": "https://evil.example"})
        assert self.refused(http, {"Host": HOST, "Origin": "http://127.0.0.1:9000"})
        assert not self.refused(http, OWN_PAGE)

    def test_client_without_cookies_sends_a_token(self, http: TestClient, new_client: NewClient) -> None:
        sign_in(http)
        other = new_client(headers={})

        assert not self.refused(other, {"Host": HOST, "Authorization": f"Bearer {http.cookies[COOKIE]}"})
        assert self.refused(other, {"Host": HOST, "Authorization": "Bearer guessed"})

    def test_message_after_the_end_of_the_session_closes_the_connection(self, http: TestClient) -> None:
        sign_in(http)
        with http.websocket_connect(SOCKET, headers=OWN_PAGE) as socket:
            socket.send_text("before")
            assert socket.receive_text() == "before"
            http.post("/auth/sign-out")
            socket.send_text("after")
            with pytest.raises(WebSocketDisconnect) as raised:
                socket.receive_text()
        assert raised.value.code == 1008

    def test_event_after_the_end_of_the_session_is_not_sent(self, parts: SignInParts) -> None:
        parts_of_event: list[Message] = []
        account = parts.accounts.find("ada")
        assert account
        session = parts.sessions.create(account) or ""

        async def pushing(_scope: Scope, _receive: Receive, send: Send) -> None:
            await send({"type": "websocket.accept"})
            await send({"type": "websocket.send", "text": "before"})
            parts.accounts.remove("ada")
            for _ in range(2):
                with pytest.raises(WebSocketDisconnect):
                    await send({"type": "websocket.send", "text": "after"})

        async def send(message: Message) -> None:
            parts_of_event.append(message)

        async def receive() -> Message:
            return {"type": "websocket.connect"}

        headers = [(b"cookie", f"{COOKIE}={session}".encode()), (b"origin", ORIGIN.encode())]
        gateway: PasswordGateway = parts.gateway(pushing)
        asyncio.run(gateway({"type": "websocket", "path": "/ws", "headers": headers}, receive, send))

        assert [each["type"] for each in parts_of_event] == ["websocket.accept", "websocket.send", "websocket.close"]

    def test_pings_do_not_prolong_the_session(self, http: TestClient, parts: SignInParts) -> None:
        sign_in(http)
        with http.websocket_connect(SOCKET, headers=OWN_PAGE) as socket:
            parts.clock.advance(IDLE_HOURS * HOUR - 1)
            socket.send_text("ping")
            assert socket.receive_text() == "ping"
            parts.clock.advance(1)
            socket.send_text("ping")
            with pytest.raises(WebSocketDisconnect):
                socket.receive_text()
