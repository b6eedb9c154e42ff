"""The examples of specification 5, MCP Artifact Creation and Processing: whole results with keys of their own."""

import json
from typing import Any

from jsonrpc_server import RawResult, Server

Json = dict[str, Any]

ARTICLES = "# Search Results for: {query}\n\n## Vectors of {query}"
GRANT = "# R01\n\nThree years, 1 200 000 €."
CONVERTED_AT = "2026-03-01T12:00:00.000Z"
PNG_BASE64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

server = Server("spec5")


def text(value: str, **fields: object) -> Json:
    """Return a content block with this text."""
    return {"type": "text", "text": value, **fields}


def typed(content: object, **fields: object) -> Json:
    """Return a result with one artifact of these fields."""
    return RawResult(content=[text("Done.")], artifacts=[{"content": content, **fields}], isError=False)


@server.tool
def search_articles(query: str) -> Json:
    """Bibliography (PubMed MCP): text for the model and citations."""
    return RawResult(
        content=[text(ARTICLES.format(query=query), forModel=True)],
        bibliography=[
            {"pmid": "31234567", "title": f"Vectors of {query}", "authors": ["Ōta K", "Müller A"], "year": 2019},
            {"pmid": "33445566", "title": "Capsids", "authors": ["Silva P"], "year": 2021},
        ],
        isError=False,
    )


@server.tool
def search_in_vain(failures: int) -> Json:
    """Bibliography (PubMed MCP): no citations, because nothing was found or the search failed."""
    message = "The search failed." if failures else "Nothing was found."
    return RawResult(content=[text(message, forModel=True)], bibliography=[], isError=bool(failures))


@server.tool
def fetch_grant(url: str) -> Json:
    """Grant Fetch MCP: Markdown beside a summary for the model."""
    facts = {"url": url, "contentType": "text/html", "statusCode": 200}
    return RawResult(
        content=[text("R01 grant of three years.", forModel=True, metadata=facts)],
        grantMarkdown={
            "type": "text/markdown",
            "title": "NIH Grant Details",
            "content": f"{GRANT}\n\n{url}",
            "metadata": {"source": url, "contentType": "text/html", "convertedAt": CONVERTED_AT},
        },
        isError=False,
    )


@server.tool
def fetch_grant_parts(title: str, content: str) -> Json:
    """Grant Fetch MCP: a grant without title or without content, if the argument is empty."""
    parts = {name: value for name, value in {"title": title, "content": content}.items() if value}
    return RawResult(content=[text("A grant.", forModel=True)], grantMarkdown=parts, isError=False)


@server.tool
def draw_graph(gene: str) -> Json:
    """Knowledge Graph (Medik MCP): an artifact with an id of its own."""
    graph = {"nodes": [{"id": gene}, {"id": "MDM2"}], "edges": [{"from": gene, "to": "MDM2"}]}
    artifact = {
        "type": "application/vnd.knowledge-graph",
        "id": f"graph-of-{gene}",
        "title": "Knowledge Graph",
        "content": json.dumps(graph),
    }
    return RawResult(content=[text("Two nodes, one edge.")], artifacts=[artifact], isError=False)


@server.tool
def mark_for_model() -> Json:
    """MCP Server Artifact Creation: one text is marked for the model, another is not."""
    return RawResult(content=[text("For the model.", forModel=True), text("For others.")], isError=False)


@server.tool
def plot() -> Json:
    """Best Practices 3: Base64 for binary data."""
    return typed(PNG_BASE64, type="image/png", title="Plot", id="plot-1")


@server.tool
def give_structured_content() -> Json:
    """Best Practices 3: structured data that is not converted to text."""
    return typed({"rows": [1, 2]}, type="application/json", title="Rows", id="rows-1")


@server.tool
def write_note(note: str) -> Json:
    """Best Practices 1: an artifact without id, title and position."""
    return typed(note, type="text/markdown")


@server.tool
def write_script() -> Json:
    """Best Practices 2: language, metadata and source."""
    source = {"source": "https://scripts.example/7", "lines": 1}
    return typed("print(1)\n", type="text/x-python", title="Query", id="q", language="python", metadata=source)


@server.tool
def write_recipe() -> Json:
    """UI Display: a type that is no MIME type."""
    return typed("Stir.", type="recipe", title="Soup", id="soup")


@server.tool
def write_text(characters: int) -> Json:
    """Overview of Artifact Flow 3: a text of this length."""
    return typed("x" * characters, type="text/plain", title="Long", id="long")


if __name__ == "__main__":
    server.run()
