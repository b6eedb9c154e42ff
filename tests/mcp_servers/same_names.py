"""Tools whose files have the same names in every call, and tools that return failed or empty results."""

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

from jsonrpc_server import RawResult, Server

Json = dict[str, Any]

server = Server("same_names")


@server.tool
def make_report(number: int, username: str) -> Json:
    """Write `report.html`."""
    path = Path(f"/tmp/{username}/report.html")
    path.write_text(f"<h1>Report {number}</h1>")
    artifact = {"name": "report.html", "path": str(path), "mime": "text/html"}
    display = {"open_canvas": True, "primary_file": "report.html"}
    return {"results": {"number": number}, "artifacts": [artifact], "display": display}


@server.tool
def analyze_dataset(filename: str, username: str) -> Json:
    """Analyze dataset - works with any size file (specification 3, section 10.2)."""
    sales: Counter[str] = Counter()
    with Path(filename).open() as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        sales[row["category"]] += int(row["sales"])
    output_path = f"/tmp/{username}/analysis_results.html"
    Path(output_path).write_text("".join(f"<li>{category}: {total}" for category, total in sorted(sales.items())))
    return {
        "results": {"rows_processed": len(rows)},
        "artifacts": [
            {
                "name": "analysis_results.html",
                "path": output_path,
                "mime": "text/html",
                "description": "Analysis results report",
            }
        ],
    }


@server.tool
def find_relations(gene: str) -> RawResult:
    """Return a knowledge graph with an id of its own."""
    content = json.dumps({"nodes": [{"id": gene}], "edges": []})
    graph = {"type": "application/vnd.knowledge-graph", "id": f"id-{gene}", "title": "Knowledge Graph"}
    return RawResult({"content": [{"type": "text", "text": gene}], "artifacts": [graph | {"content": content}]})


@server.tool
def search_articles(term: str) -> RawResult:
    """Return a bibliography."""
    return RawResult({"content": [{"type": "text", "text": term}], "bibliography": [{"pmid": "1", "title": term}]})


@server.tool
def fetch_grant(number: str) -> RawResult:
    """Return a grant."""
    return RawResult({"content": [{"type": "text", "text": number}], "grantMarkdown": {"content": f"# {number}"}})


@server.tool
def find_nothing() -> RawResult:
    """Return an empty bibliography, grant and knowledge graph."""
    graph = {"type": "application/vnd.knowledge-graph", "title": "Knowledge Graph"}
    empty = {"bibliography": [], "grantMarkdown": {"content": ""}, "artifacts": [graph | {"content": '{"nodes": []}'}]}
    return RawResult({"content": [{"type": "text", "text": "no hits"}], **empty})


@server.tool
def fail_to_search() -> RawResult:
    """Return an error with a list that is empty, because the search failed."""
    return RawResult({"content": [{"type": "text", "text": "service down"}], "bibliography": [], "isError": True})


@server.tool
def fail_to_write(username: str) -> RawResult:
    """Leave an empty file, and return an error with a file, a dashboard and hints that open them."""
    Path(f"/tmp/{username}/big.bin").touch()
    payload = {
        "results": {"error": "disk full"},
        "artifacts": [{"name": "report.html", "mime": "text/html", "content": "<h1>Half"}],
        "display": {"open_canvas": True},
        "canvas": {"id": "failed", "url": "https://mcp.example.com/failed"},
    }
    return RawResult({"content": [], "structuredContent": payload, "isError": True})


@server.tool
def open_dashboard(number: int) -> Json:
    """Open a dashboard."""
    return {
        "results": "opened",
        "canvas": {"id": f"monitor-{number}", "url": f"https://mcp.example.com/{number}", "token": ""},
    }


if __name__ == "__main__":
    server.run()
