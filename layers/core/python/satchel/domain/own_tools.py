"""Tools that Satchel offers itself: answered where calls are dispatched, without a runner."""

from satchel.domain.conversation import ToolSpec

SERVER = "satchel"
"""The server that they are listed under; no entry of mcp.json may be called so."""

DESCRIPTION = "What Satchel knows itself: the person's files."
FILES_A_PAGE = 50

LIST_FILES = ToolSpec(
    server=SERVER,
    name="list_files",
    description=(
        "List the person's files, newest first, with what is known of each: those that the list of available files "
        "leaves out, and what may be done next with files that wait. Ask again with `cursor` for the next page."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "this_session": {"type": "boolean", "description": "Only files of this session."},
            "source": {"type": "string", "enum": ["uploaded", "generated", "deferred"]},
            "name_prefix": {"type": "string", "maxLength": 255, "description": "Only files whose names begin so."},
            "cursor": {"type": "string", "maxLength": 2000, "description": "`cursor` of the page before."},
        },
        "additionalProperties": False,
    },
)

OWN_TOOLS = {tool.full_name: tool for tool in (LIST_FILES,)}
