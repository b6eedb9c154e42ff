"""A user who works with the keyboard only."""

from playwright.sync_api import Page

_MAX_TAB_STEPS = 160
_MAX_TRIES = 5
_ROLE_AND_NAME = """element => {
    const labels = [...(element.labels ?? [])].map(label => label.textContent);
    const name = element.getAttribute('aria-label') ?? (labels.join(' ') || element.textContent || element.title);
    return [element.getAttribute('role') ?? element.tagName.toLowerCase(), name.trim().replace(/\\s+/g, ' ')];
}"""
_SELECTED = "() => document.activeElement.selectedOptions?.[0]?.text ?? ''"
_TYPING_PAUSE_MS = 1_100
"""After a second without a key, the browser begins a new search for an option."""

_EXISTS = f"""([role, prefix]) => [...document.querySelectorAll(`${{role}}, [role=${{role}}]`)]
    .map({_ROLE_AND_NAME}).some(([found, name]) => found === role && name.startsWith(prefix))"""


class Keyboard:
    """Moves through the page with Tab and presses keys; never uses the mouse.

    A ``role`` is the ARIA role of an element or, if it has none, its tag.
    """

    def __init__(self, page: Page) -> None:
        self._page = page

    def focused(self) -> tuple[str, str]:
        """Return the role and the name of the focused element."""
        role, name = self._page.evaluate(f"({_ROLE_AND_NAME})(document.activeElement)")
        return role, name

    def go_to(self, role: str, prefix: str, *, back: bool = False) -> None:
        """Wait for an element whose name starts with the prefix, and press Tab until it has the focus."""
        self._page.wait_for_function(_EXISTS, arg=[role, prefix])
        passed = []
        for _ in range(_MAX_TAB_STEPS):
            focused_role, name = self.focused()
            if focused_role == role and name.startswith(prefix):
                return
            passed.append(f"{focused_role} {name[:30]!r}")
            self._page.keyboard.press("Shift+Tab" if back else "Tab")
        raise AssertionError(f"Tab does not reach {role} {prefix!r}; passed: {passed}")

    def press(self, role: str, prefix: str, *, key: str = "Enter", back: bool = False) -> None:
        """Go to an element and press a key."""
        self.go_to(role, prefix, back=back)
        self._page.keyboard.press(key)

    def choose(self, prefix: str, option: str, *, back: bool = False) -> None:
        """Go to a select element and type the start of an option, until it is selected.

        On a busy machine, a second may pass between two keys. The browser then takes the next key for the first letter
        of another option.
        """
        self.go_to("select", prefix, back=back)
        for _ in range(_MAX_TRIES):
            for key in option:
                self._page.keyboard.type(key)
                if self._has_selected(option):
                    return
            self._page.wait_for_timeout(_TYPING_PAUSE_MS)
            if self._has_selected(option):
                return
        raise AssertionError(f"{option!r} is not selected in {prefix!r}")

    def _has_selected(self, option: str) -> bool:
        selected: str = self._page.evaluate(_SELECTED)
        return selected.startswith(option)

    def write(self, text: str, *, end: str = "Enter") -> None:
        """Replace the text of the focused element, then press the ``end`` key, if any."""
        self._page.keyboard.press("Control+A")
        self._page.keyboard.press("Delete")
        self._page.keyboard.insert_text(text)
        if end:
            self._page.keyboard.press(end)
