"""What the OpenAPI document shows as examples: one story, from a session to the report that a tool made in it."""

from typing import Any

SESSION_ID = "s01m7yz1hs4gcreevqf6n983x09"
TURN_ID = "t01m7yz1r8n2r5ma60y7wks3pzy"
FILE_KEY = "f01m7yyt6d3n8q3xcy5rt1czxe1"
REPORT_KEY = "f01m7yz1r8npjewdc3vbmen0000"
CANVAS_ID = "monitor-42"
CALL_ID = f"{TURN_ID}-00-00"
_AT = "2026-08-27T09:30:00Z"
_MESSAGE = '/report.summarise {"filename": "sales.csv"}'

Example = dict[str, Any]


def shown(status: int, example: Example) -> dict[int | str, dict[str, Any]]:
    """Return what a route's ``responses`` say of its success, by example; the model gives the schema."""
    return {status: {"content": {"application/json": {"example": example}}}}


HEALTH: Example = {"status": "ok", "version": "0.1.0"}
CONFIG: Example = {
    "user": "alice@example.com",
    "groups": ["users"],
    "model": "offline",
    "socket_url": "ws://127.0.0.1:8000/ws",
    "isolation_level": "process",
    "flags": {
        "persist_files_across_sessions": True,
        "base64_size_limit_mb": 300,
        "canvas_origins": ["https://dash.example.com"],
    },
    "limits": {"body_bytes": 6000000, "message_bytes": 100000, "inline_bytes": 4194304, "file_bytes": 53687091200},
}
TOOLS: Example = {
    "servers": [
        {
            "name": "calculator",
            "description": "Evaluates arithmetic.",
            "status": "ready",
            "reason": None,
            "tools": [
                {
                    "server": "calculator",
                    "name": "evaluate",
                    "description": "Evaluate an arithmetic expression and return its value.",
                    "input_schema": {"type": "object", "properties": {"expression": {"type": "string"}}},
                    "output_schema": None,
                },
            ],
        },
    ],
}
SESSION: Example = {
    "session_id": SESSION_ID,
    "title": "Sales of August",
    "status": "active",
    "created_at": _AT,
    "last_used_at": _AT,
    "running_turn": None,
}
SESSIONS: Example = {"sessions": [SESSION], "cursor": None}
SESSION_WITH_TURNS: Example = SESSION | {
    "turns": [
        {
            "turn_id": TURN_ID,
            "status": "complete",
            "message": _MESSAGE,
            "answer": "The report has 100000 rows.",
            "error": None,
            "created_at": _AT,
            "ended_at": _AT,
        },
    ],
    "cursor": None,
}
_TURN_URL = f"/api/sessions/{SESSION_ID}/turns/{TURN_ID}"
TURN_ACCEPTED: Example = {
    "turn_id": TURN_ID,
    "session_id": SESSION_ID,
    "status": "running",
    "turn_url": _TURN_URL,
    "events_url": f"{_TURN_URL}/events",
}
FINAL_RESPONSE: Example = {
    "turn_id": TURN_ID,
    "session_id": SESSION_ID,
    "status": "complete",
    "message": "The report has 100000 rows.",
    "artifacts": [
        {
            "id": REPORT_KEY,
            "type": "text/html",
            "title": "sales_report.html",
            "position": 0,
            "name": "sales_report.html",
            "mime": "text/html",
            "size": 4083,
            "viewer": "html",
            "category": "report",
            "description": "Report on sales.csv",
            "showable": True,
            "auto_open": False,
            "file_key": REPORT_KEY,
            "version": 1,
            "download_url": f"/api/files/download/{REPORT_KEY}?token=…",
        },
    ],
    "deferred_artifacts": [],
    "display": {"open_canvas": True, "primary_file": "sales_report.html", "mode": "replace", "viewer_hint": "html"},
    "canvas": None,
    "tool_calls": [
        {
            "call_id": CALL_ID,
            "tool": "report.summarise",
            "server": "report",
            "arguments": {"filename": "sales.csv", "username": "alice@example.com"},
            "is_error": False,
            "results": {"file": "sales.csv", "rows": 100000},
            "duration_ms": 812,
        },
    ],
    "error": None,
}
CANCELLED: Example = FINAL_RESPONSE | {
    "status": "cancelled",
    "message": "",
    "artifacts": [],
    "tool_calls": [],
    "display": {"open_canvas": False},
    "error": {"error_code": "E_CANCELLED", "message": "The turn was cancelled."},
}
EVENTS: Example = {
    "events": [
        {"seq": 1, "turn_id": TURN_ID, "type": "turn_started", "at": _AT, "session_id": SESSION_ID},
        {
            "seq": 2,
            "turn_id": TURN_ID,
            "type": "tool_start",
            "at": _AT,
            "call_id": CALL_ID,
            "tool": "report.summarise",
            "server": "report",
            "arguments": {"filename": "sales.csv", "username": "alice@example.com"},
        },
    ],
    "next": 2,
    "done": False,
}
FILE: Example = {
    "file_key": FILE_KEY,
    "name": "sales.csv",
    "mime": "text/csv",
    "size": 3418044,
    "source": "uploaded",
    "version": 1,
    "session_id": SESSION_ID,
    "created_at": _AT,
    "description": None,
    "category": None,
    "viewer": None,
    "auto_open": False,
    "expires_at": None,
    "info": {},
    "download_url": f"/api/files/download/{FILE_KEY}?token=…",
}
FILES: Example = {"files": [FILE], "cursor": None}
FILE_CONTENT: Example = FILE | {"size": 5, "b64": "aGVsbG8=", "s3_ref": None}
DECISION: Example = {"approved": True, "arguments": {"filename": "sales-2026.csv"}, "reason": None}
TICKET: Example = {
    "ticket": "kq3mXo0ZC9m2Yb1m3sD0k6x8QvW7uTzR5nPjL4hFgEc",
    "expires_at": "2026-08-27T09:31:00Z",
    "url": "ws://127.0.0.1:8000/ws",
}
CANVAS_ACTION: Example = {
    "action_id": "a01m7yz2k4w0x8dq3hm6v1tbr5e",
    "canvas_id": CANVAS_ID,
    "session_id": SESSION_ID,
    "call_id": CALL_ID,
    "user": "alice@example.com",
    "action": "acknowledge",
    "details": {"alert": 17},
    "at": _AT,
}
