"""Somebody who has a keyboard alone."""

from playwright.sync_api import Page

_MOST_STEPS = 80
_FOCUSED = """() => {
    const element = document.activeElement;
    const labels = [...(element.labels ?? [])].map(label => label.textContent);
    const name = element.getAttribute('aria-label') ?? (labels.join(' ') || element.textContent);
    return {tag: element.tagName.toLowerCase(), name: name.trim().replace(/\\s+/g, ' ')};
}"""


class Keyboard:
    """Goes through the page as Tab does, and never touches it otherwise."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def focused(self) -> tuple[str, str]:
        """Return tag and name of what has the focus."""
        found = self._page.evaluate(_FOCUSED)
        return found["tag"], found["name"]

    def go_to(self, tag: str, name: str, *, key: str = "Tab") -> None:
        """Press Tab until something of that tag has the focus whose name begins so."""
        passed = []
        for _ in range(_MOST_STEPS):
            found, called = self.focused()
            if found == tag and called.startswith(name):
                return
            passed.append(f"{found} {called[:30]!r}")
            self._page.keyboard.press(key)
        raise AssertionError(f"no {tag} {name!r} can be reached; passed: {passed}")

    def press(self, tag: str, name: str, *, key: str = "Enter") -> None:
        """Go to something and press a key on it."""
        self.go_to(tag, name)
        self._page.keyboard.press(key)

    def write(self, text: str, *, end: str = "Enter") -> None:
        """Write into what has the focus, in place of what it holds."""
        self._page.keyboard.press("Control+A")
        self._page.keyboard.insert_text(text)
        if end:
            self._page.keyboard.press(end)
