"""All that users see of their data, to compare two systems."""

import hashlib
from dataclasses import dataclass
from typing import Any

import httpx2

from tests.e2e.user_client import TLS, UserClient


@dataclass(frozen=True)
class UserData:
    """The sessions, the turns by session, and name and SHA-256 of each file by its key."""

    sessions: list[Any]
    turns: dict[str, list[Any]]
    files: dict[str, tuple[str, str]]


def read_data(user: UserClient) -> UserData:
    """Read the first page of each list, and download all files."""
    sessions = user.request("GET", "/api/sessions").raise_for_status().json()["sessions"]
    files = user.request("GET", "/api/files").raise_for_status().json()["files"]
    return UserData(
        sessions,
        {each["session_id"]: _turns(user, each["session_id"]) for each in sessions},
        {file["file_key"]: (file["name"], _digest(user, file["download_url"])) for file in files},
    )


def _turns(user: UserClient, session: str) -> list[Any]:
    turns = user.request("GET", f"/api/sessions/{session}").raise_for_status().json()["turns"]
    return [{**turn, "tool_calls": _calls(user, session, turn["turn_id"])} for turn in turns]


def _calls(user: UserClient, session: str, turn: str) -> list[Any]:
    calls = user.request("GET", f"/api/sessions/{session}/turns/{turn}").raise_for_status().json()["tool_calls"]
    return [{name: call.get(name) for name in ("call_id", "tool", "arguments", "results")} for call in calls]


def _digest(user: UserClient, url: str) -> str:
    response = user.request("GET", url)
    if response.is_redirect:  # to the object store
        response = httpx2.get(response.headers["location"], verify=TLS, timeout=60)
    return hashlib.sha256(response.raise_for_status().content).hexdigest()
