"""What of a page cannot be reached, is not seen to be, or has no name: for those who have a keyboard alone."""

from playwright.sync_api import Page

_MOST_STEPS = 150
# A control is what the language of pages makes one, and whatever a press does something on.
_BEGIN = """part => {
    const SELECTOR = 'a[href], button, input, select, textarea, summary, audio, video, iframe, [tabindex],'
        + '[role=button], [role=link], [role=tab], [role=checkbox], [role=menuitem]';
    const PRESSED = ['onClick', 'onDoubleClick', 'onMouseDown', 'onPointerDown'];
    const handlers = element => {
        const key = Object.keys(element).find(key => key.startsWith('__reactProps$'));
        return key ? Object.keys(element[key]) : [];
    };
    const isControl = element => element.matches(SELECTOR) || handlers(element).some(name => PRESSED.includes(name));
    const isThere = element => element.checkVisibility({visibilityProperty: true}) && !element.matches(':disabled');
    for (const details of part.querySelectorAll('details')) details.open = true;
    window.walk = {
        controls: [...part.querySelectorAll('*')].filter(element => isControl(element) && isThere(element)),
        reached: new Set(), last: null, unseen: [],
    };
}"""
# Tells whether to go on: until the way leaves the part or comes back to where it was. What is played and
# frames hold steps of their own, and show themselves which of them has the focus.
_STEP = """part => {
    const {reached, unseen, last} = window.walk, at = document.activeElement;
    if (at !== last && reached.has(at)) return false;
    window.walk.last = at;
    if (at === document.body) return at === part || reached.size === 0;
    if (!part.contains(at)) return reached.size === 0;
    reached.add(at);
    if (['IFRAME', 'AUDIO', 'VIDEO'].includes(at.tagName)) return true;
    const box = at.getBoundingClientRect(), {outlineStyle, outlineWidth} = getComputedStyle(at);
    if (outlineStyle === 'none' || outlineWidth === '0px') unseen.push([at, 'is not seen to have the focus']);
    const middle = (from, to, most) => (Math.max(from, 0) + Math.min(to, most)) / 2;
    const top = document.elementFromPoint(
        middle(box.left, box.right, innerWidth), middle(box.top, box.bottom, innerHeight));
    if (!top || !(at.contains(top) || top.contains(at))) unseen.push([at, 'has the focus, out of sight']);
    return true;
}"""
_COMPLAINTS = """() => {
    const {controls, reached, unseen} = window.walk;
    const nameOf = element => (
        element.getAttribute('aria-label') || [...(element.labels ?? [])].map(label => label.textContent).join(' ')
        || element.textContent || element.title).trim();
    const isReached = element => reached.has(element)
        || element.role === 'tab' && [...element.closest('[role=tablist]').children].some(tab => reached.has(tab));
    const about = element => element.outerHTML.slice(0, 120);
    return [
        ...controls.filter(element => !isReached(element)).map(element => `cannot be reached: ${about(element)}`),
        ...controls.filter(element => !nameOf(element)).map(element => `has no name: ${about(element)}`),
        ...unseen.map(([element, what]) => `${what}: ${about(element)}`),
    ];
}"""


def complaints(page: Page, part: str = "body") -> list[str]:
    """Go through a part of the page by Tab, from where the focus is, with all that opens open; tabs are one stop."""
    box = page.locator(part).element_handle()
    page.evaluate(_BEGIN, box)
    for _ in range(_MOST_STEPS):
        if not page.evaluate(_STEP, box):
            return list(page.evaluate(_COMPLAINTS))
        page.keyboard.press("Tab")
    raise AssertionError(f"the way through {part} has no end after {_MOST_STEPS} steps")
