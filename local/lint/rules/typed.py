"""The fields of spec 5 that stand beside the content: `bibliography` and `grantMarkdown`."""

from collections.abc import Iterator

from local.lint.findings import Clause, Finding, quoted
from local.lint.subject import Subject

CITATIONS = Clause("v5:bibliography:citations", "5 Key Differences")
CONTENT = Clause("v5:grant:content", "5 Grant Fetch MCP")


def citations_are_objects(subject: Subject) -> Iterator[Finding]:
    """Name citations that are no objects."""
    for item in (item for node in subject.objects for item in node.list_of("bibliography")):
        if not item.is_object:
            yield CITATIONS.error(item.where, f"{quoted(item.value)} is not an object.", "Make it one.")


def grants_have_content(subject: Subject) -> Iterator[Finding]:
    """Name a grant without its text: it is no file then."""
    for node in subject.given("grantMarkdown"):
        if node.is_object and node.get("content") is None:
            yield CONTENT.error(node.where, "`grantMarkdown` has no `content`.", "Give the markdown as `content`.")
