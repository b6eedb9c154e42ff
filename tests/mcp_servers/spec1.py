"""The examples of specification 1, MCP Tool Output Contract. The tools return what it prints, or what it describes."""

import json
from typing import Any

from jsonrpc_server import RawResult, Server

Json = dict[str, Any]

VECTORS = ("eyJ2ZWN0b3JzIjpbMC4xMjMsMC4zNDUuLi5dfQ==", "eyJ2ZWN0b3JzIjpbMC4yMjMsMC40NDUuLi5dfQ==")
EVALUATED = {"operation": "evaluate", "expression": "234*97", "result": 22698}

server = Server("spec1")


def text(value: str) -> Json:
    """Return a content block with this text."""
    return {"type": "text", "text": value}


@server.tool
def calculate(expression: str) -> Json:
    """Minimal Examples 1: a simple calculation."""
    return {"results": {"expression": expression, "result": 22698}}


@server.tool
def count_rows() -> Json:
    """Minimal Examples 2: a result with metadata."""
    return {"results": {"row_count": 42}, "meta_data": {"elapsed_ms": 18, "source": "inventory_db"}}


@server.tool
def embed() -> Json:
    """Minimal Examples 3: a result with files."""
    return {
        "results": "Generated embedding vectors (see files).",
        "returned_file_names": ["embeddings_part1.json", "embeddings_part2.json"],
        "returned_file_contents": list(VECTORS),
        "meta_data": {"dimension": 1536, "chunks": 2},
    }


@server.tool
def embed_as_objects() -> Json:
    """Optional Fields: file contents that are objects with `name` and `b64`."""
    contents = [{"name": "own.json", "b64": VECTORS[0]}, {"b64": VECTORS[1]}]
    return {"results": 2, "returned_file_names": ["first.json", "second.json"], "returned_file_contents": contents}


@server.tool
def embed_unevenly(names: int, contents: int) -> Json:
    """Implementation Checklist 3: arrays of different length."""
    return {
        "results": contents,
        "returned_file_names": [f"part{number}.json" for number in range(1, names + 1)],
        "returned_file_contents": list(VECTORS[:contents]),
    }


@server.tool
def evaluate() -> Json:
    """FastMCP Integration Notes: equal text and structured content, without the field `results`."""
    return RawResult(content=[text(json.dumps(EVALUATED))], structuredContent=EVALUATED, isError=False)


@server.tool
def evaluate_with_other_text() -> Json:
    """FastMCP Integration Notes, strategy 1: structured content beside a text that differs."""
    return RawResult(content=[text('{"result": 0}')], structuredContent=EVALUATED, isError=False)


@server.tool
def evaluate_as_json_text() -> Json:
    """FastMCP Integration Notes, strategy 2: no structured content, and the second text is JSON."""
    return RawResult(content=[text("Evaluated:"), text(json.dumps(EVALUATED))])


@server.tool
def evaluate_as_plain_text() -> Json:
    """FastMCP Integration Notes: no structured content, and no text is JSON."""
    return RawResult(content=[text("234*97 is"), text("22698.")])


@server.tool
def evaluate_as_result_object() -> Json:
    """FastMCP Integration Notes: the fields of a printed `CallToolResult`, as the payload of a server that forwards."""
    payload = [text(json.dumps(EVALUATED))]
    return {"content": payload, "structured_content": EVALUATED, "data": EVALUATED, "is_error": False}


@server.tool
def evaluate_with_other_data() -> Json:
    """Edge Cases 2: `structured_content` and `data` differ."""
    return {"content": [], "structured_content": EVALUATED, "data": {"result": 0}, "is_error": False}


@server.tool
def fail() -> Json:
    """Edge Cases 1: a result that is marked as an error."""
    return RawResult(content=[text("division by zero")], isError=True)


@server.tool
def give_nothing() -> Json:
    """Edge Cases 3: an empty output."""
    return {}


@server.tool
def give_no_content() -> Json:
    """Edge Cases 3: an output without content."""
    return RawResult(content=[])


@server.tool
def give_falsy(kind: str) -> Json:
    """Edge Cases 3: results that are false, zero or empty, but not missing."""
    values: Json = {"false": False, "zero": 0, "text": "", "list": [], "object": {}}
    return {"results": values[kind]}


@server.tool
def give_list() -> Json:
    """Common Mistakes: a plain list at the top level."""
    return RawResult(content=[text('[{"id": 1}, {"id": 2}]')])


@server.tool
def spell_meta_data() -> Json:
    """Common Mistakes: `meta-data` in place of `meta_data`."""
    return {"results": {"row_count": 42}, "meta-data": {"elapsed_ms": 18}}


@server.tool
def give_many_rows(rows: int) -> Json:
    """Size / Safety Guidelines: results of far more than a few KB."""
    return {"results": [{"row": row, "text": "All work and no play."} for row in range(rows)]}


@server.tool
def echo_file() -> Json:
    """Size / Safety Guidelines: the base64 of a file in `results`."""
    return {"results": {"summary": "A chart.", "chart": "iVBORw0KGgo" * 200}}


if __name__ == "__main__":
    server.run()
