"""Accessibility checks of a page: axe rules, and controls that keyboard users cannot reach, see or identify."""

from functools import cache

from playwright.sync_api import Frame, Page

from tests.e2e.system_process import ROOT

_AXE = ROOT / "node_modules/axe-core/axe.min.js"
_REPORTED_IMPACTS = {"serious", "critical"}
_RUN_AXE = "axe.run(document, {resultTypes: ['violations']}).then(({violations}) => violations)"

_MAX_TAB_STEPS = 150
# Controls are the interactive HTML elements, and every element with a React handler for clicks.
_START_WALK = """part => {
    const SELECTOR = 'a[href], button, input, select, textarea, summary, audio, video, iframe, [tabindex],'
        + '[role=button], [role=link], [role=tab], [role=checkbox], [role=menuitem]';
    const CLICK_HANDLERS = ['onClick', 'onDoubleClick', 'onMouseDown', 'onPointerDown'];
    const handlers = element => {
        const key = Object.keys(element).find(key => key.startsWith('__reactProps$'));
        return key ? Object.keys(element[key]) : [];
    };
    const isControl = element =>
        element.matches(SELECTOR) || handlers(element).some(name => CLICK_HANDLERS.includes(name));
    const isActive = element => element.checkVisibility({visibilityProperty: true}) && !element.matches(':disabled');
    for (const details of part.querySelectorAll('details')) details.open = true;
    window.walk = {
        controls: [...part.querySelectorAll('*')].filter(element => isControl(element) && isActive(element)),
        reached: new Set(), last: null, notVisible: [],
    };
}"""
# Returns false once the focus leaves the part or returns to an earlier element. Frames and media players have several
# tab stops of their own and show the focus themselves.
_RECORD_STEP = """part => {
    const {reached, notVisible, last} = window.walk, focused = document.activeElement;
    if (focused !== last && reached.has(focused)) return false;
    window.walk.last = focused;
    if (focused === document.body) return focused === part || reached.size === 0;
    if (!part.contains(focused)) return reached.size === 0;
    reached.add(focused);
    if (['IFRAME', 'AUDIO', 'VIDEO'].includes(focused.tagName)) return true;
    const box = focused.getBoundingClientRect(), {outlineStyle, outlineWidth} = getComputedStyle(focused);
    if (outlineStyle === 'none' || outlineWidth === '0px') notVisible.push([focused, 'has no focus outline']);
    const middle = (from, to, max) => (Math.max(from, 0) + Math.min(to, max)) / 2;
    const top = document.elementFromPoint(
        middle(box.left, box.right, innerWidth), middle(box.top, box.bottom, innerHeight));
    if (!top || !(focused.contains(top) || top.contains(focused))) {
        notVisible.push([focused, 'is covered or out of view while focused']);
    }
    return true;
}"""
_LIST_ISSUES = """() => {
    const {controls, reached, notVisible} = window.walk;
    const nameOf = element => (
        element.getAttribute('aria-label') || [...(element.labels ?? [])].map(label => label.textContent).join(' ')
        || element.textContent || element.title).trim();
    const isReached = element => reached.has(element)
        || element.role === 'tab' && [...element.closest('[role=tablist]').children].some(tab => reached.has(tab));
    const describe = element => element.outerHTML.slice(0, 120);
    return [
        ...controls.filter(element => !isReached(element)).map(element => `cannot be reached: ${describe(element)}`),
        ...controls.filter(element => !nameOf(element)).map(element => `has no name: ${describe(element)}`),
        ...notVisible.map(([element, issue]) => `${issue}: ${describe(element)}`),
    ];
}"""


@cache
def _axe_script() -> str:
    return _AXE.read_text(encoding="utf-8")


def find_axe_violations(page: Page | Frame) -> list[str]:
    """Return the serious and critical violations that axe reports, each with up to three elements."""
    if not page.evaluate("'axe' in window"):  # its half megabyte is parsed once for each document
        page.evaluate(_axe_script())  # not a script element: the page's content security policy would block it
    return [
        f"{violation['id']}: {violation['help']} ({[node['html'][:120] for node in violation['nodes'][:3]]})"
        for violation in page.evaluate(_RUN_AXE)
        if violation["impact"] in _REPORTED_IMPACTS
    ]


def find_keyboard_issues(page: Page, part: str = "body") -> list[str]:
    """Return the controls in a part of the page that Tab does not reach, or without a visible focus or a name.

    Open all ``details`` elements first, and start at the current focus. The tabs of a tab list count as one tab stop.
    """
    root = page.locator(part).element_handle()
    page.evaluate(_START_WALK, root)
    for _ in range(_MAX_TAB_STEPS):
        if not page.evaluate(_RECORD_STEP, root):
            return list(page.evaluate(_LIST_ISSUES))
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab did not leave {part} within {_MAX_TAB_STEPS} steps")
