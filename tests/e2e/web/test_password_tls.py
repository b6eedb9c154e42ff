"""A server with accounts behind a reverse proxy with TLS, used by a browser that reaches only the proxy."""

from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, expect

from tests.e2e.conftest import PASSWORD_CONFIG
from tests.e2e.password_system import running_password_system
from tests.e2e.system_process import free_port
from tests.e2e.user_client import UserClient
from tests.e2e.web.chat_page import MAX_TURN_MS, UNENDING_CALL, ChatPage
from tests.e2e.web.conftest import TIMEOUT_MS
from tests.e2e.web.tls_proxy import tls_proxy
from tests.fakes.accounts import PASSWORD

LARGE_BYTES = 9 << 20  # sent in parts, and downloaded from the store


def test_user_chats_uploads_and_downloads_through_the_proxy_alone(browser: Browser, tmp_path: Path) -> None:
    public = f"https://localhost:{free_port()}"
    config = PASSWORD_CONFIG.with_name("trial.json")
    settings = {"SATCHEL_PUBLIC_URL": public}
    port = urlsplit(public).port or 0
    with (
        running_password_system(tmp_path / "data", config, settings) as shared,
        tls_proxy(tmp_path, port, urlsplit(shared.url).port or 0),
    ):
        with shared.accounts() as accounts:
            accounts.add("ada", PASSWORD)
        context = browser.new_context(base_url=public, ignore_https_errors=True, reduced_motion="reduce")
        context.set_default_timeout(TIMEOUT_MS)
        page = context.new_page()
        requested: set[str] = set()
        page.on("request", lambda request: requested.add(request.url))
        page.on("websocket", lambda socket: requested.add(socket.url))
        chat = ChatPage(page, UserClient(public, "ada"))

        page.goto("/")
        page.get_by_label("User name").fill("ada")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        chat.message_box.wait_for()
        (cookie,) = context.cookies()
        with page.expect_websocket():
            turn = chat.send(UNENDING_CALL)
        page.get_by_role("button", name="Stop", exact=True).click()
        expect(turn).to_have_attribute("aria-busy", "false")
        chat.drop_file("large.bin", LARGE_BYTES)
        expect(chat.attached).to_contain_text("large.bin", timeout=MAX_TURN_MS)
        size = page.evaluate(
            """async () => {
                const headers = {"X-Satchel-Client": "page"};
                const {files} = await (await fetch("/api/files", {headers})).json();
                return (await (await fetch(files[0].download_url)).arrayBuffer()).byteLength;
            }"""
        )
        context.close()

    assert (cookie["name"], cookie["secure"], cookie["sameSite"]) == ("__Host-satchel-session", True, "Strict")
    assert size == LARGE_BYTES
    origins = {"{0.scheme}://{0.netloc}".format(urlsplit(url)) for url in requested if not url.startswith("blob:")}
    assert origins == {public, public.replace("https", "wss")}
    assert [url for url in requested if "/store/" in url]
