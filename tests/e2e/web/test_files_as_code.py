"""A file of a tool cannot run as code of the page: the page's policy and the API each prevent it alone."""

import pytest
from playwright.sync_api import Page

from tests.e2e.web.chat_page import ChatPage
from tests.e2e.web.conftest import ChatPageFactory

CODE = {"code.js": b"self.wasRun = true; self.postMessage?.('run', '*')", "code.css": b":root { --was-run: yes }"}
DOWNLOADS = "**/api/files/download/**"
LOADERS = {
    "script": """url => new Promise(end => {
        const script = Object.assign(document.createElement('script'), {src: url, onload: end, onerror: end});
        document.head.append(script);
    }).then(() => self.wasRun === true)""",
    "module": "url => import(url).then(() => self.wasRun === true, () => false)",
    "worker": """url => new Promise(end => {
        try {
            const worker = new Worker(url);
            worker.onmessage = () => end(true);
            worker.onerror = () => end(false);
        } catch { end(false); }
    })""",
    "style": """url => new Promise(end => {
        const style = Object.assign(document.createElement('link'), {rel: 'stylesheet', href: url});
        Object.assign(style, {onload: end, onerror: end});
        document.head.append(style);
    }).then(() => getComputedStyle(document.documentElement).getPropertyValue('--was-run') === 'yes')""",
}
NOTE_VIOLATIONS = """() => {
    self.violations = [];
    addEventListener('securitypolicyviolation', ({blockedURI, originalPolicy}) =>
        self.violations.push({url: blockedURI, policy: originalPolicy}));
}"""
every_loader = pytest.mark.parametrize("loader", LOADERS)


def run_file(chat: ChatPage, loader: str) -> bool:
    """Load an uploaded file as code of the page, and return True if it had an effect."""
    name = "code.css" if loader == "style" else "code.js"
    record = chat.user.upload(None, name, CODE[name])
    was_run: bool = chat.page.evaluate(LOADERS[loader], record["download_url"])
    return was_run


def serve_as_code(page: Page) -> None:
    """Respond to downloads as an API without the refusal does."""
    page.route(
        DOWNLOADS,
        lambda route: route.fulfill(
            body=CODE["code.css" if route.request.resource_type == "stylesheet" else "code.js"],
            content_type="text/css" if route.request.resource_type == "stylesheet" else "text/javascript",
        ),
    )


@every_loader
def test_policy_of_the_page_blocks_a_file_as_code(new_chat_page: ChatPageFactory, loader: str) -> None:
    chat = new_chat_page()
    chat.open()
    serve_as_code(chat.page)
    chat.page.evaluate(NOTE_VIOLATIONS)

    assert not run_file(chat, loader)
    chat.page.wait_for_function("self.violations.length > 0")
    (violation,) = chat.page.evaluate("self.violations")
    assert "/api/files/download/" in violation["url"]
    assert "*:*/assets/" in violation["policy"]


@every_loader
def test_api_refuses_a_file_as_code(new_chat_page: ChatPageFactory, loader: str) -> None:
    chat = new_chat_page(bypass_csp=True)
    chat.open()

    with chat.page.expect_response(DOWNLOADS) as response:
        assert not run_file(chat, loader)
    assert response.value.status == 403


@pytest.mark.parametrize(
    "loader", [each for each in LOADERS if each != "worker"]
)  # Playwright cannot respond to requests for workers
def test_file_runs_as_code_without_both(new_chat_page: ChatPageFactory, loader: str) -> None:
    """Shows that the other tests would notice a file that runs."""
    chat = new_chat_page(bypass_csp=True)
    chat.open()
    serve_as_code(chat.page)

    assert run_file(chat, loader)
