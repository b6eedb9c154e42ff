"""Sign-in with OpenID Connect: code flow with PKCE; every request carries the id token."""

import base64
import hashlib
import time
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from playwright.sync_api import Route, expect

from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import LOCAL_KEY
from tests.e2e.web.conftest import ChatPageFactory
from tests.e2e.web.keyboard import Keyboard

CLIENT_ID = "the-page"
SIGNING_KEY = "any key: the page does not verify tokens, only the API does"


@dataclass
class Issuer:
    """OpenID Connect issuer, simulated by routes in the browser. ``challenge`` is the PKCE challenge of the page."""

    origin: str
    challenge: str = ""
    nonce: str | None = None
    tokens: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"{self.origin}/issuer"

    def fulfill_config(self, route: Route) -> None:
        route.fulfill(json={"auth": "oidc", "authority": self.url, "client_id": CLIENT_ID})

    def fulfill(self, route: Route) -> None:
        path = urlsplit(route.request.url).path
        if path.endswith("openid-configuration"):
            endpoints = {f"{name}_endpoint": f"{self.url}/{name}" for name in ("authorization", "token", "end_session")}
            route.fulfill(json={"issuer": self.url, "jwks_uri": f"{self.url}/jwks", **endpoints})
        elif path.endswith("/authorization"):
            self._authorize(route)
        elif path.endswith("/token"):
            self._exchange(route)
        else:
            route.fulfill(status=404)

    def _authorize(self, route: Route) -> None:
        query = {name: values[0] for name, values in parse_qs(urlsplit(route.request.url).query).items()}
        assert query["response_type"] == "code"
        assert query["code_challenge_method"] == "S256"
        self.challenge, self.nonce = query["code_challenge"], query.get("nonce")
        response = urlencode({"code": "the-code", "state": query["state"]})
        route.fulfill(status=302, headers={"location": f"{query['redirect_uri']}?{response}"})

    def _exchange(self, route: Route) -> None:
        form = {name: values[0] for name, values in parse_qs(route.request.post_data or "").items()}
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        assert base64.urlsafe_b64encode(digest).decode().rstrip("=") == self.challenge
        claims = {"iss": self.url, "aud": CLIENT_ID, "sub": "1", "exp": time.time() + 300, "iat": time.time()}
        token = jwt.encode(claims | ({"nonce": self.nonce} if self.nonce else {}), SIGNING_KEY)
        self.tokens.append(token)
        response = {"access_token": "access", "token_type": "Bearer", "expires_in": 300, "id_token": token}
        route.fulfill(json=response)


def test_sign_in_returns_to_the_open_chat_and_keeps_the_token_in_the_tab(
    new_chat_page: ChatPageFactory, system: SystemProcess
) -> None:
    chat, issuer = new_chat_page(), Issuer(system.url)
    page = chat.page
    page.route("**/config.json", issuer.fulfill_config)
    page.route("**/issuer/**", issuer.fulfill)
    authorization: set[str | None] = set()

    def replace_token(route: Route) -> None:
        """Send the key of the local system, because it does not accept tokens of an issuer."""
        authorization.add(route.request.headers.get("authorization"))
        route.continue_(headers={**route.request.headers, "authorization": f"Bearer {LOCAL_KEY}"})

    page.route("**/api/**", replace_token)

    page.goto("/#s0123456789abcdef")
    chat.message_box.wait_for()

    expect(page).to_have_url(f"{system.url}/#s0123456789abcdef")
    assert authorization == {f"Bearer {issuer.tokens[0]}"}
    assert page.evaluate("localStorage.getItem('oidc')") is None
    assert issuer.tokens[0] not in page.evaluate("JSON.stringify({...localStorage})")  # session storage: this tab only

    with page.expect_request(f"{issuer.url}/end_session?*"):
        Keyboard(page).press("button", "Sign out")
