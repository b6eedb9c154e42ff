"""What axe, the accessibility checker, finds on a page."""

from functools import cache

from playwright.sync_api import Page

from tests.e2e.system import ROOT

_SOURCE = ROOT / "node_modules/axe-core/axe.min.js"
_GRAVE = {"serious", "critical"}
_LOOK = "axe.run(document, {resultTypes: ['violations']}).then(({violations}) => violations)"


@cache
def _axe() -> str:
    return _SOURCE.read_text(encoding="utf-8")


def grave_issues(page: Page) -> list[str]:
    """Return what axe holds for serious or critical, each with the elements that it is about."""
    page.evaluate(_axe())  # past the page's policy, which lets no script in from outside
    return [
        f"{found['id']}: {found['help']} ({[node['html'][:120] for node in found['nodes'][:3]]})"
        for found in page.evaluate(_LOOK)
        if found["impact"] in _GRAVE
    ]
