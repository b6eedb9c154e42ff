"""Deployed, one signs in by OpenID Connect: code flow with PKCE, and the id token goes with every request."""

import base64
import hashlib
import time
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from playwright.sync_api import Request, Route, expect

from tests.e2e.system import System
from tests.e2e.web.conftest import Visitor
from tests.e2e.web.keyboard import Keyboard

CLIENT = "the-page"
KEY = "a key that the page never looks at, since the API checks the token"


@dataclass
class Issuer:
    """Answers, in the browser, as an issuer does; ``challenge`` is what the page came with."""

    home: str
    challenge: str = ""
    nonce: str | None = None
    tokens: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"{self.home}/issuer"

    def tell_settings(self, route: Route) -> None:
        route.fulfill(json={"auth": "oidc", "authority": self.address, "client_id": CLIENT})

    def answer(self, route: Route) -> None:
        path = urlsplit(route.request.url).path
        if path.endswith("openid-configuration"):
            ends = {f"{name}_endpoint": f"{self.address}/{name}" for name in ("authorization", "token", "end_session")}
            route.fulfill(json={"issuer": self.address, "jwks_uri": f"{self.address}/jwks", **ends})
        elif path.endswith("/authorization"):
            self._authorise(route)
        elif path.endswith("/token"):
            self._exchange(route)
        else:
            route.fulfill(status=404)

    def _authorise(self, route: Route) -> None:
        asked = {name: values[0] for name, values in parse_qs(urlsplit(route.request.url).query).items()}
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        self.challenge, self.nonce = asked["code_challenge"], asked.get("nonce")
        back = urlencode({"code": "the-code", "state": asked["state"]})
        route.fulfill(status=302, headers={"location": f"{asked['redirect_uri']}?{back}"})

    def _exchange(self, route: Route) -> None:
        said = {name: values[0] for name, values in parse_qs(route.request.post_data or "").items()}
        digest = hashlib.sha256(said["code_verifier"].encode()).digest()
        assert base64.urlsafe_b64encode(digest).decode().rstrip("=") == self.challenge
        claims = {"iss": self.address, "aud": CLIENT, "sub": "1", "exp": time.time() + 300, "iat": time.time()}
        token = jwt.encode(claims | ({"nonce": self.nonce} if self.nonce else {}), KEY)
        self.tokens.append(token)
        answer = {"access_token": "access", "token_type": "Bearer", "expires_in": 300, "id_token": token}
        route.fulfill(json=answer)


def test_one_goes_to_the_issuer_and_comes_back_to_where_one_was(visitor: Visitor, system: System) -> None:
    visit, issuer = visitor(), Issuer(system.url)
    page = visit.page
    page.route("**/config.json", issuer.tell_settings)
    page.route("**/issuer/**", issuer.answer)
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request))  # noqa: PLW0108  (Playwright takes no built-in method)

    page.goto("/#s0123456789abcdef")
    visit.message.wait_for()

    expect(page).to_have_url(f"{system.url}/#s0123456789abcdef")
    sent = {request.headers.get("authorization") for request in asked if "/api/" in request.url}
    assert sent == {f"Bearer {issuer.tokens[0]}"}
    assert page.evaluate("localStorage.getItem('oidc')") is None
    assert issuer.tokens[0] not in page.evaluate("JSON.stringify({...localStorage})")  # this tab alone has it

    with page.expect_request(f"{issuer.address}/end_session?*"):
        Keyboard(page).press("button", "Sign out")
