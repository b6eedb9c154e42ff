"""Check the app of a tool (MCP Apps): its page, its domains, its size, and that the tool is useful without it."""

import re
from collections.abc import Iterator

from local.lint.findings import Clause, Finding, quoted
from satchel.domain.apps import MAX_APP_BYTES, AppPage, AppPolicy
from satchel.domain.conversation import ToolSpec
from satchel.ports.tool_client import AppAnswer

_SPEC = "MCP Apps 2026-01-26"
PAGE = Clause("apps:page", _SPEC)
VISIBILITY = Clause("apps:visibility", _SPEC)
DOMAINS = Clause("apps:domains", _SPEC)
SIZE = Clause("apps:size", _SPEC)
FALLBACK = Clause("apps:fallback", _SPEC)

_LARGE_BYTES = 2 << 20
_ORIGIN = re.compile(r"(?:https?|wss?)://[A-Za-z0-9.-]+(?::[0-9]{1,5})?")
_LOADED = re.compile(
    rf"(?:\b(?:src|href)\s*=\s*|\burl\(|\b(?:fetch|import|WebSocket|EventSource)\()\s*[\"'`]?({_ORIGIN.pattern})"
)
_LINK = re.compile(r"<a\b[^>]*>", re.IGNORECASE)


def check_app(tool: ToolSpec, answer: AppAnswer) -> list[Finding]:
    """Return the findings for the app of a tool, with the result that the app gets."""
    findings = [*_check_visibility(tool), *_check_fallback(answer)]
    if answer.problem:
        suggestion = "Return HTML with the MIME type text/html;profile=mcp-app from the resource."
        findings.append(PAGE.error("app", f"{answer.problem.rstrip('.')}.", suggestion))
    if answer.page:
        findings += [*_check_size(answer.page), *_check_domains(answer.page)]
    return findings


def _check_visibility(tool: ToolSpec) -> Iterator[Finding]:
    if not tool.for_model:
        message = "The tool has an app, but models may not call it, so the app never opens."
        yield VISIBILITY.warning("app", message, 'Add "model" to visibility, or remove resourceUri.')


def _check_fallback(answer: AppAnswer) -> Iterator[Finding]:
    content = answer.result.get("content")
    blocks = content if isinstance(content, list) else []
    has_text = any(isinstance(block, dict) and str(block.get("text") or "").strip() for block in blocks)
    if not has_text and not answer.result.get("structuredContent"):
        message = "The result has no text, so it says nothing to the model and in hosts without apps."
        yield FALLBACK.warning("content", message, "Return the result as text, too.")


def _check_size(page: AppPage) -> Iterator[Finding]:
    size = len(page.html.encode())
    if size > _LARGE_BYTES:
        message = (
            f"The page has {size / 1e6:.1f} MB, and is loaded for each result. The limit is {MAX_APP_BYTES >> 20} MiB."
        )
        yield SIZE.warning("app", message, "Leave out what the page does not need, for example source maps.")


def _check_domains(page: AppPage) -> Iterator[Finding]:
    policy = AppPolicy.parse(page.meta.get("csp"))
    declared = [domain for domains in policy.model_dump().values() for domain in domains]
    loaded = sorted(set(_LOADED.findall(_LINK.sub("", page.html))))
    for origin in loaded:
        if not any(_covers(domain, origin) for domain in declared):
            message = f"The page loads from {quoted(origin)}, which its resource does not declare. Hosts block that."
            yield DOMAINS.error("app", message, "Declare it in _meta.ui.csp, or put the content into the page.")
    for domain in declared:
        if domain.split("://")[1].removeprefix("*.") not in page.html:
            message = f"The resource declares {quoted(domain)}, which is not in the page."
            yield DOMAINS.note("app", message, "Declare only the domains that the page uses.")


def _covers(domain: str, origin: str) -> bool:
    scheme, _, host = domain.partition("://")
    own_scheme, _, own_host = origin.partition("://")
    return scheme == own_scheme and (own_host == host or (host.startswith("*.") and own_host.endswith(host[1:])))
