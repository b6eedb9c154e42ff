"""Example requests and responses for the OpenAPI document: a user uploads a file, and a tool creates a report."""

from typing import Any

from satchel.entrypoints.http.problems import problem_responses

SESSION_ID = "s01m7yz1hs4gcreevqf6n983x09"
TURN_ID = "t01m7yz1r8n2r5ma60y7wks3pzy"
FILE_KEY = "f01m7yyt6d3n8q3xcy5rt1czxe1"
UPLOAD_ID = "f01m7yyt6d3n8q3xcy5rt1czxe2"
REPORT_KEY = "f01m7yz1r8npjewdc3vbmen0000"
CANVAS_ID = "monitor-42"
CALL_ID = f"{TURN_ID}-00-00"
_AT = "2026-08-27T09:30:00Z"
_USER = "alice@example.com"
_ARGUMENTS = {"filename": "sales.csv", "username": _USER}
_MESSAGE = '/report.summarise {"filename": "sales.csv"}'

Example = dict[str, Any]


def responses(status: int, example: Example, *errors: int, **fields: object) -> dict[int | str, dict[str, Any]]:
    """Return the ``responses`` argument for a FastAPI route.

    It describes the success ``status`` with an example and further ``fields``, and the HTTP statuses ``errors``.
    """
    return {status: {**fields, "content": {"application/json": {"example": example}}}} | problem_responses(*errors)


HEALTH: Example = {"status": "ok", "version": "0.1.0"}
PUBLIC_KEYS: Example = {
    "keys": [
        {
            "kid": "6d8f6cb1-83c8-4846-91d6-3f8f907cdfde",
            "kty": "EC",
            "crv": "P-256",
            "alg": "ES256",
            "use": "sig",
            "x": "tO21B34ExQnxlcrmLfB3SsQtRdg_yj6kAQ6wR_W_Pcc",
            "y": "Ao7lVxquSWKvEl7Ouaven2aNZNg7cupb-FdXTizMlDo",
        }
    ]
}
CONFIG: Example = {
    "user": _USER,
    "groups": ["users"],
    "model": "quick",
    "models": [
        {"name": "quick", "description": "For most tasks"},
        {"name": "careful", "description": "Slower, for difficult tasks"},
    ],
    "socket_url": "ws://127.0.0.1:8000/ws",
    "isolation_level": "process",
    "flags": {
        "persist_files_across_sessions": True,
        "base64_size_limit_mb": 4.0,
        "canvas_origins": ["https://dash.example.com"],
    },
    "limits": {
        "body_bytes": 4500000,
        "message_bytes": 100000,
        "inline_bytes": 4194304,
        "file_bytes": 53687091200,
        "part_bytes": 16777216,
    },
}
_EVALUATE: Example = {
    "server": "calculator",
    "name": "evaluate",
    "title": None,
    "description": "Evaluate an arithmetic expression and return its value.",
    "input_schema": {"type": "object", "properties": {"expression": {"type": "string"}}},
    "output_schema": None,
    "hints": {"read_only": True, "destructive": None, "idempotent": True, "open_world": False},
    "icons": [],
    "for_model": True,
    "for_app": True,
    "app_uri": None,
    "method": "tools/call",
    "needs_task": False,
    "asks_while_running": False,
}
_CALCULATOR = {
    "name": "calculator",
    "title": "Calculator",
    "description": "Evaluates arithmetic.",
    "status": "ready",
    "reason": None,
    "since": _AT,
    "isolation_level": "process",
    "tools": [_EVALUATE],
}
TOOLS: Example = {"servers": [_CALCULATOR]}
_RESOURCE = {
    "server": "reports",
    "uri": "report://2026/august",
    "name": "august.csv",
    "title": "August",
    "description": "The sales of August.",
    "mime": "text/csv",
    "size": 2048,
}
_TEMPLATE = {
    "server": "reports",
    "uri_template": "report://{year}/{month}",
    "name": "month",
    "title": None,
    "description": "The sales of a month.",
    "mime": "text/csv",
}
RESOURCES: Example = {"resources": [_RESOURCE], "templates": [_TEMPLATE], "cursor": None}
_ARGUMENT = {"name": "month", "description": "The month to compare.", "required": True}
_PROMPT = {
    "server": "reports",
    "name": "compare",
    "title": "Compare months",
    "description": "Compares a month with the one before.",
    "arguments": [_ARGUMENT],
}
PROMPTS: Example = {"prompts": [_PROMPT]}
_OFFERED_FILE = {"name": "august.csv", "mime": "text/csv", "b64": "bW9udGgsc2FsZXMKYXVndXN0LDQyCg=="}
PROMPT_MESSAGE: Example = {"text": "Compare August with July.", "files": [_OFFERED_FILE]}
RESOURCE_CONTENT: Example = {"files": [_OFFERED_FILE]}
COMPLETION: Example = {"values": ["august", "september"]}
_TOKENS = {
    "input_tokens": 2310,
    "output_tokens": 145,
    "cache_read_tokens": 1900,
    "cache_write_tokens": 0,
    "media_tokens": 1560,
}
SESSION: Example = {
    "session_id": SESSION_ID,
    "title": "August sales",
    "status": "active",
    "pinned": False,
    "archived": False,
    "temporary": False,
    "created_at": _AT,
    "last_used_at": _AT,
    "running_turn": None,
    "waits_for_user": False,
    "model": None,
    "usage": _TOKENS,
}
SESSIONS: Example = {"sessions": [SESSION], "cursor": None}
SESSION_WITH_TURNS: Example = SESSION | {
    "instructions": None,
    "turns": [
        {
            "turn_id": TURN_ID,
            "status": "complete",
            "message": _MESSAGE,
            "files": [],
            "rating": None,
            "answer": "The report has 100000 rows.",
            "model": "quick",
            "usage": _TOKENS,
            "error": None,
            "created_at": _AT,
            "ended_at": _AT,
            "imported": False,
            "after": None,
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
_DISPLAY: Example = {
    "open_canvas": True,
    "primary_file": "sales_report.html",
    "mode": "replace",
    "viewer_hint": "html",
    "storage_action": "store",
    "category_hint": None,
    "notification": None,
}
FINAL_RESPONSE: Example = {
    "turn_id": TURN_ID,
    "session_id": SESSION_ID,
    "status": "complete",
    "message": "The report has 100000 rows.",
    "answer": "The report has 100000 rows.",
    "model": "quick",
    "usage": _TOKENS,
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
            "content": None,
            "language": None,
            "metadata": None,
            "showable": True,
            "auto_open": False,
            "file_key": REPORT_KEY,
            "version": 1,
            "download_url": f"/api/files/download/{REPORT_KEY}?token=…",
        },
    ],
    "deferred_artifacts": [],
    "display": _DISPLAY,
    "canvas": None,
    "canvases": [],
    "tool_calls": [
        {
            "call_id": CALL_ID,
            "tool": "report.summarise",
            "server": "report",
            "arguments": _ARGUMENTS,
            "is_error": False,
            "error_code": None,
            "results": {"file": "sales.csv", "rows": 100000},
            "meta_data": None,
            "duration_ms": 812,
        },
    ],
    "inputs": [],
    "error": None,
    "imported": False,
}
_PARTS = ("tool_calls", "artifacts", "deferred_artifacts", "canvases")
CONVERSATION: Example = SESSION_WITH_TURNS | {
    "turns": [
        SESSION_WITH_TURNS["turns"][0]
        | {name: FINAL_RESPONSE[name] for name in _PARTS}
        | {"approvals": [], "questions": []}
    ]
}
_MATCH: Example = {"session": SESSION, "turn_id": TURN_ID, "snippet": "The report has 100000 rows."}
CONVERSATION_MATCHES: Example = {"matches": [_MATCH], "cursor": None}
CANCELLED: Example = FINAL_RESPONSE | {
    "status": "cancelled",
    "message": "",
    "answer": "",
    "artifacts": [],
    "tool_calls": [],
    "display": _DISPLAY | {"open_canvas": False, "primary_file": None},
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
            "arguments": _ARGUMENTS,
            "app_uri": None,
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
    "app": None,
    "version": 1,
    "session_id": SESSION_ID,
    "created_at": _AT,
    "description": None,
    "category": None,
    "viewer": None,
    "auto_open": False,
    "temporary": False,
    "expires_at": None,
    "status": None,
    "reason": None,
    "next_actions": [],
    "info": {"rows": 100000, "columns": 5},
    "download_url": f"/api/files/download/{FILE_KEY}?token=…",
}
APP: Example = {
    "file_key": REPORT_KEY,
    "version": 1,
    "session_id": SESSION_ID,
    "turn_id": TURN_ID,
    "call_id": CALL_ID,
    "tool_name": "report.explore",
    "tool": None,
    "arguments": _ARGUMENTS,
    "state": {
        "uri": "ui://report/explorer.html",
        "policy": {
            "connect_domains": [],
            "resource_domains": ["https://cdn.example.com"],
            "frame_domains": [],
            "base_uri_domains": [],
        },
        "writes_clipboard": False,
        "prefers_border": None,
        "result": {"content": [{"type": "text", "text": "100000 rows"}]},
    },
    "files": [
        {
            "file_key": FILE_KEY,
            "version": 1,
            "name": "sales.csv",
            "mime": "text/csv",
            "size": 3418044,
            "role": "input",
        }
    ],
}
STARTING_APP: Example = {"open_app": APP | {"state": APP["state"] | {"result": {}}}}
APP_CALL: Example = {
    "turn_id": f"x{TURN_ID[1:]}",
    "session_id": SESSION_ID,
    "result": {"content": [{"type": "text", "text": "Rows 100 to 199"}]},
    "files": [],
}
FILES: Example = {"files": [FILE], "cursor": None}
FILE_VERSIONS: Example = {"versions": [FILE | {"version": 2}, FILE], "cursor": None}
KEPT_FILE: Example = FILE | {"source": "generated", "info": {}}
FILE_CONTENT: Example = FILE | {"size": 5, "b64": "aGVsbG8=", "s3_ref": None}
UPLOAD: Example = {
    "upload_id": UPLOAD_ID,
    "name": "year.parquet",
    "mime": "application/vnd.apache.parquet",
    "size": 20971520,
    "session_id": SESSION_ID,
    "app": None,
    "part_bytes": 16777216,
    "part_count": 2,
    "created_at": _AT,
    "expires_at": "2026-08-28T09:30:00Z",
}
_SHA256 = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="
SIGNED_PARTS: Example = {
    "parts": [
        {
            "number": 2,
            "offset": 16777216,
            "size": 4194304,
            "url": "https://…&X-Amz-Signature=…",
            "headers": {"x-amz-checksum-sha256": _SHA256},
            "expires_at": "2026-08-27T09:45:00Z",
        },
    ],
}
STARTED_UPLOAD: Example = UPLOAD | SIGNED_PARTS
UPLOADS: Example = {"uploads": [UPLOAD], "cursor": None}
_STORED: Example = {"number": 1, "size": 16777216, "sha256": _SHA256}
UPLOAD_WITH_PARTS: Example = UPLOAD | {"stored": [_STORED], "cursor": None}
APPROVAL_REQUEST: Example = {
    "call_id": CALL_ID,
    "tool": "report.summarise",
    "server": "report",
    "arguments": {"filename": "sales.csv"},
    "digest": _SHA256,
    "expires_at": "2026-08-27T10:30:00Z",
    "decision": None,
}
INPUT_ANSWERED: Example = {"call_id": CALL_ID, "input_id": "1-0", "action": "accept"}
DECISION: Example = {"approved": True, "digest": _SHA256, "arguments": {"filename": "sales-2026.csv"}, "reason": None}
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
    "user": _USER,
    "action": "acknowledge",
    "details": {"alert": 17},
    "at": _AT,
}
_AUDITED = {"at": _AT, "user": _USER, "session_id": SESSION_ID, "result": "ok", "error_code": None}
_AUDITED_DOWNLOAD = {
    "kind": "download",
    "audit_id": "e01m7yz2q6vdkq3m1x8rn5w9tbc",
    **_AUDITED,
    "duration_seconds": 0.012,
    "file_key": REPORT_KEY,
    "version": 1,
    "audience": "ui",
    "file_name": "sales_report.html",
    "size": 4083,
}
_AUDITED_CALL = {
    "kind": "tool_call",
    "audit_id": "e01m7yz1r8p4h0c7sy2jd6gkfxa",
    **_AUDITED,
    "duration_seconds": 0.812,
    "turn_id": TURN_ID,
    "call_id": CALL_ID,
    "tool": "report.summarise",
    "arguments": _ARGUMENTS | {"api_key": "[redacted]"},
    "reason": None,
}
AUDIT: Example = {"entries": [_AUDITED_DOWNLOAD, _AUDITED_CALL], "cursor": None}
LINK_ID = "l01m7yz3b5q9n2c8xkr4w7dtg1v"
_LINK: Example = {
    "link_id": LINK_ID,
    "file_key": REPORT_KEY,
    "version": 1,
    "name": "sales_report.html",
    "created_at": _AT,
    "made_at": _AT,
    "expires_at": "2026-08-27T10:30:00Z",
}
LINK_WITH_URL: Example = _LINK | {"url": f"https://satchel.example.com/api/files/download/{REPORT_KEY}?token=…"}
LINKS: Example = {"links": [_LINK], "cursor": None}
LINKS_REVOKED: Example = {"revoked": 1}
_CHAT_LINK: Example = {
    "chat_link_id": LINK_ID,
    "session_id": SESSION_ID,
    "with_files": False,
    "created_at": _AT,
    "expires_at": "2026-09-03T09:30:00Z",
}
CHAT_LINK_WITH_URL: Example = _CHAT_LINK | {"url": "https://satchel.example.com/#share=…"}
CHAT_LINKS: Example = {"links": [_CHAT_LINK], "cursor": None}
_SHARED_FILE: Example = {
    "name": "sales_report.html",
    "mime": "text/html",
    "size": 4083,
    "is_app": False,
    "download_url": None,
}
_SHARED_TURN: Example = {
    "turn_id": TURN_ID,
    "message": _MESSAGE,
    "answer": "The report has 100000 rows.",
    "status": "complete",
    "error": None,
    "created_at": _AT,
    "tool_calls": [{"tool": "report.summarise", "is_error": False, "duration_ms": 812}],
    "files": [_SHARED_FILE],
}
SHARED_CHAT: Example = {
    "title": "August sales",
    "shared_at": _AT,
    "expires_at": "2026-09-03T09:30:00Z",
    "turns": [_SHARED_TURN],
    "cursor": None,
}
_USAGE: Example = {"bytes": 3422127, "count": 2}
_QUOTAS: Example = {
    "open_sessions": {"limit": 1000, "used": 12, "resets_at": None},
    "turns_per_minute": {"limit": 120, "used": 1, "resets_at": "2026-08-27T09:31:00Z"},
    "running_calls": {"limit": 32, "used": 2, "resets_at": None},
    "uploads": {"limit": 100, "used": 0, "resets_at": None},
    "stored_bytes": {"limit": 536870912000, "used": 3422127, "resets_at": None},
}
ME: Example = {"user": _USER, "groups": ["users"], "usage": _USAGE, "quotas": _QUOTAS, "erasure": None}
USER_SETTINGS: Example = {"instructions": "Answer in German."}
TOKEN_ID = "p01m7yz3b5q9n2c8xkr4w7dtg1v"  # noqa: S105  (an id)
_TOKEN: Example = {
    "token_id": TOKEN_ID,
    "name": "Open WebUI",
    "created_at": _AT,
    "expires_at": "2026-11-25T09:30:00Z",
    "last_used_at": None,
}
TOKENS: Example = {"tokens": [_TOKEN]}
TOKEN_WITH_TEXT: Example = _TOKEN | {"token": f"satchel_YWRhQGV4YW1wbGUuY29t.{TOKEN_ID}.…"}
ERASURE_CONFIRMATION: Example = {"confirm_token": "…", "expires_at": "2026-08-27T09:35:00Z", "usage": _USAGE}
ERASURE: Example = {
    "started_at": _AT,
    "cleared_at": None,
    "finished_at": None,
    "erased": {"files": 0, "versions": 0, "sessions": 0, "turns": 0, "events": 0, "links": 0},
}
