"""The page that shows the apps of MCP servers in a frame on an origin of its own (locally and on AWS).

The frame's address has the app's policy as ``csp``. The page (``web/src/apps``) builds it from the domains that the
app's server declares. A second policy in the same header says which pages may show the frame, and forbids what no app
needs.
"""

import json
import re
from collections.abc import Iterable

from infra import sources

_FOLDER = "app-sandbox"
_CSP = re.compile(r"[A-Za-z0-9 :/.*';-]{1,7000}")
_POLICY = "Content-Security-Policy"


def sandbox_page() -> str:
    """Return the HTML of the frame."""
    return sources.read_definition(f"{_FOLDER}/index.html")


def sandbox_headers(ancestors: Iterable[str]) -> dict[str, str]:
    """Return the HTTP headers of the frame, without the policy of an app. Pages of ``ancestors`` may show it."""
    return {
        "Content-Type": "text/html; charset=utf-8",
        _POLICY: f"frame-ancestors {' '.join(ancestors)}; form-action 'none'; object-src 'none'",
        "Cache-Control": "no-store",
        "Cross-Origin-Resource-Policy": "cross-origin",
        "Origin-Agent-Cluster": "?1",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }


def with_policy(headers: dict[str, str], csp: str) -> dict[str, str] | None:
    """Return the headers with an app's policy, or None if it is no policy. ``function.js`` does the same on AWS."""
    return headers | {_POLICY: f"{csp}, {headers[_POLICY]}"} if _CSP.fullmatch(csp) else None


def sandbox_function(ancestors: Iterable[str]) -> str:
    """Return the code of the CloudFront Function that serves the frame."""
    code = sources.read_definition(f"{_FOLDER}/function.js")
    return code.replace("${Headers}", json.dumps(sandbox_headers(ancestors))).replace(
        "${Page}", json.dumps(_without_comments(sandbox_page()))
    )


def _without_comments(page: str) -> str:
    """Return the page in fewer bytes: CloudFront limits a function to 10 KB."""
    lines = (line.strip() for line in page.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))
