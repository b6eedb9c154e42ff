"""Somebody who has a keyboard alone."""

from playwright.sync_api import Page

_MOST_STEPS = 80
_CALLED = """element => {
    const labels = [...(element.labels ?? [])].map(label => label.textContent);
    const name = element.getAttribute('aria-label') ?? (labels.join(' ') || element.textContent || element.title);
    return [element.getAttribute('role') ?? element.tagName.toLowerCase(), name.trim().replace(/\\s+/g, ' ')];
}"""
_IS_THERE = f"""([kind, name]) => [...document.querySelectorAll(`${{kind}}, [role=${{kind}}]`)]
    .map({_CALLED}).some(([found, called]) => found === kind && called.startsWith(name))"""


class Keyboard:
    """Goes through the page as Tab does, and never touches it otherwise."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def focused(self) -> tuple[str, str]:
        """Return role, else tag, and name of what has the focus."""
        kind, name = self._page.evaluate(f"({_CALLED})(document.activeElement)")
        return kind, name

    def go_to(self, kind: str, name: str, *, back: bool = False) -> None:
        """Wait for something of that role or tag whose name begins so, and press Tab until it has the focus."""
        self._page.wait_for_function(_IS_THERE, arg=[kind, name])
        passed = []
        for _ in range(_MOST_STEPS):
            found, called = self.focused()
            if found == kind and called.startswith(name):
                return
            passed.append(f"{found} {called[:30]!r}")
            self._page.keyboard.press("Shift+Tab" if back else "Tab")
        raise AssertionError(f"no {kind} {name!r} can be reached; passed: {passed}")

    def press(self, kind: str, name: str, *, key: str = "Enter", back: bool = False) -> None:
        """Go to something and press a key on it."""
        self.go_to(kind, name, back=back)
        self._page.keyboard.press(key)

    def choose(self, name: str, option: str, *, back: bool = False) -> None:
        """Go to a list to choose from and write the beginning of what is wanted."""
        self.go_to("select", name, back=back)
        self._page.keyboard.type(option)

    def write(self, text: str, *, end: str = "Enter") -> None:
        """Write into what has the focus, in place of what it holds."""
        self._page.keyboard.press("Control+A")
        self._page.keyboard.press("Delete")
        self._page.keyboard.insert_text(text)
        if end:
            self._page.keyboard.press(end)
