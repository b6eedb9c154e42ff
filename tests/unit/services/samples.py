"""Sample users, models, servers and tools."""

from typing import Any

from satchel.domain.conversation import ToolSpec
from satchel.domain.llm import ModelCatalog, ModelEntry
from satchel.domain.servers import Registry, ServerEntry
from satchel.domain.users import Identity

ALICE = Identity(name="alice@example.com")
BOB = Identity(name="bob@example.com", groups=frozenset({"users", "admins"}))


def schema(required: list[str] | None = None, **fields: str) -> dict[str, Any]:
    """Return a JSON schema with these fields and their types."""
    properties = {name: {"type": kind} for name, kind in fields.items()}
    return {"type": "object", "properties": properties, "required": required or []}


SUMMARISE = ToolSpec(
    server="report", name="summarise", input_schema=schema(["filename"], filename="string", username="string")
)
MERGE = ToolSpec(server="report", name="merge", input_schema=schema(filenames="array", file_names="array"))
ECHO = ToolSpec(server="report", name="echo", input_schema=schema(text="string"))
FETCH = ToolSpec(server="web.pages", name="fetch", input_schema=schema(filename="string"))
EXACT = ToolSpec(server="exact", name="read", input_schema=schema(filenames="array"))
OPEN = ToolSpec(server="vault", name="open", input_schema=schema())

REGISTRY = Registry(
    servers={
        "report": ServerEntry(command=["python", "main.py"], groups=["users"], description="Reports"),
        "web.pages": ServerEntry(url="https://tools.example/mcp"),
        "exact": ServerEntry(command=["exact"], strict_files=True),
        "vault": ServerEntry(command=["vault"], groups=["admins"]),
    }
)
MODELS = ModelCatalog(
    "quick",
    (
        ModelEntry(name="quick", model="fake:quick", description="For most things"),
        ModelEntry(name="careful", model="fake:careful", groups=("admins",), context_tokens=10_000),
    ),
)
TOOLS = {"report": [SUMMARISE, MERGE, ECHO], "web.pages": [FETCH], "exact": [EXACT], "vault": [OPEN]}
