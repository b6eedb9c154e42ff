"""Tests of the rules for apps: the page, its domains, its size, and the result without the app."""

from typing import Any

import pytest

from local.lint.apps import check_app
from satchel.domain.apps import AppPage
from satchel.domain.conversation import ToolSpec
from satchel.ports.tool_client import AppAnswer

TOOL = ToolSpec(server="s", name="t", input_schema={}, app_uri="ui://s/app.html")
RESULT = {"content": [{"type": "text", "text": "3 rows"}]}


def found(html: str = "<p>", csp: object = None, tool: ToolSpec = TOOL, **answer: Any) -> list[str]:  # noqa: ANN401 (fields)
    """Return the severity and the clause of each finding."""
    page = AppPage(uri="ui://s/app.html", html=html, meta={"csp": csp})
    fields = {"result": RESULT, "page": page} | answer
    return [f"{finding.severity} {finding.clause}" for finding in check_app(tool, AppAnswer(**fields))]


def test_app_without_faults_has_no_findings() -> None:
    page = '<a href="https://elsewhere.example">x</a><script src="https://cdn.example/a.js"></script>'
    assert found(page, {"resourceDomains": ["https://cdn.example"]}) == []


def test_missing_page_is_an_error() -> None:
    assert found(page=None, problem="The app ui://s/app.html cannot be shown: not found") == ["error apps:page"]


@pytest.mark.parametrize(
    "html",
    [
        "<script src='https://cdn.example/a.js'></script>",
        "<style>p { background: url(https://cdn.example/a.png) }</style>",
        "<script>fetch('https://cdn.example/a')</script>",
        "<script>new WebSocket(`wss://cdn.example`)</script>",
    ],
)
def test_domain_that_is_not_declared_is_an_error(html: str) -> None:
    assert found(html, {"connectDomains": ["https://other.example"]})[0] == "error apps:domains"


def test_subdomain_is_declared_by_a_wildcard() -> None:
    page = "<img src=https://a.cdn.example/x.png>"
    assert found(page, {"resourceDomains": ["https://*.cdn.example"]}) == []


def test_domain_that_is_not_used_is_a_note() -> None:
    assert found("<p>", {"connectDomains": ["https://api.example"]}) == ["note apps:domains"]


def test_large_page_is_a_warning() -> None:
    assert found("x" * (2 << 20) + "x") == ["warning apps:size"]


def test_result_without_text_is_a_warning() -> None:
    assert found(result={"content": [{"type": "image"}]}) == ["warning apps:fallback"]


def test_app_of_a_tool_that_no_model_may_call_is_a_warning() -> None:
    assert found(tool=TOOL.model_copy(update={"for_model": False})) == ["warning apps:visibility"]
