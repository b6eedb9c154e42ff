"""The changes that a server has acknowledged. After a restart, all of them must be there, each once."""

import hashlib
from dataclasses import dataclass, field
from typing import Any

import httpx2

from tests.e2e.user_client import TLS, Json, UserClient


def digest(content: bytes) -> str:
    """Return the SHA-256 of a content."""
    return hashlib.sha256(content).hexdigest()


@dataclass
class Expectations:
    """Acknowledged changes of one user. ``attempted`` has the names and messages of all requests, answered or not."""

    titles: dict[str, str] = field(default_factory=dict)
    files: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Name and digest of the content, by file key."""
    deleted: set[str] = field(default_factory=set)
    messages: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Session and message, by turn id."""
    responses: dict[str, Json] = field(default_factory=dict)
    """Calls and answers of completed turns, by turn id."""
    links: dict[str, tuple[str, str]] = field(default_factory=dict)
    """File key and digest of the content, by the link's path."""
    attempted: set[str] = field(default_factory=set)

    def check(self, user: UserClient) -> list[str]:
        """Return a line for each difference between the acknowledged changes and the data of the server."""
        return [*self._check_sessions(user), *self._check_files(user), *self._check_turns(user)]

    def _check_sessions(self, user: UserClient) -> list[str]:
        found = {each["session_id"]: each["title"] for each in _pages(user, "/api/sessions", "sessions")}
        return [
            f"session {key}: {title!r}, not {found.get(key)!r}"
            for key, title in self.titles.items()
            if found.get(key) != title
        ]

    def _check_files(self, user: UserClient) -> list[str]:
        listed = {each["file_key"]: each for each in _pages(user, "/api/files", "files")}
        problems = [f"the deleted file {key} is there" for key in self.deleted if key in listed]
        for key, (name, expected) in self.files.items():
            if key not in listed:
                problems.append(f"the file {name} ({key}) is lost")
            elif digest(_download(user.url + listed[key]["download_url"])) != expected:
                problems.append(f"the file {name} ({key}) has another content")
        names = [each["name"] for each in listed.values() if each["source"] == "uploaded"]
        problems += [f"the file {name} is there twice" for name in set(names) if names.count(name) > 1]
        problems += [f"the file {name} was never sent" for name in names if name not in self.attempted]
        for link, (_, expected) in self.links.items():
            if digest(_download(link)) != expected:
                problems.append(f"the link {link[:60]} gives another content")
        return problems

    def _check_turns(self, user: UserClient) -> list[str]:
        problems = []
        for session in {session for session, _ in self.messages.values()}:
            history = _pages(user, f"/api/sessions/{session}", "turns")
            found = {turn["turn_id"]: turn for turn in history}
            sent = [turn["message"] for turn in history]
            problems += [f"the message {text} is there twice" for text in set(sent) if sent.count(text) > 1]
            problems += [f"the message {text} was never sent" for text in sent if text not in self.attempted]
            expected = {turn_id: text for turn_id, (owner, text) in self.messages.items() if owner == session}
            problems += [
                f"turn {turn_id} of {session} is lost"
                for turn_id, text in expected.items()
                if turn_id not in found or found[turn_id]["message"] != text
            ]
        for turn_id, response in self.responses.items():
            session, _ = self.messages[turn_id]
            turn = user.wait_for_turn(session, turn_id)
            if essence(turn) != response:
                problems.append(f"turn {turn_id} has another response: {essence(turn)}, not {response}")
        return problems


def essence(turn: Json) -> Json:
    """Return what must not change in an ended turn."""
    calls = [{name: call.get(name) for name in ("call_id", "tool", "results")} for call in turn.get("tool_calls", [])]
    return {"status": turn["status"], "answer": turn.get("answer"), "calls": calls}


def _download(url: str) -> bytes:
    response = httpx2.get(url, verify=TLS, follow_redirects=True, timeout=60)  # the object store sends large files
    return response.content


def _pages(user: UserClient, path: str, name: str) -> list[Any]:
    found, cursor = [], None
    while True:
        page = user.request("GET", path, params={"cursor": cursor} if cursor else {}).json()
        found += page[name]
        cursor = page.get("cursor")
        if not cursor:
            return found
