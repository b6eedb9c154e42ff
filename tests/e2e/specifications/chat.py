"""A session with a scripted model, which records what the system sends it."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.e2e.user_client import Json, UserClient, fetch
from tests.fake_providers.replies import Answer
from tests.fake_providers.server import FakeEndpoint

_PICTURE = re.compile(r'"image_url": \{"url": "data:image/png;base64,[^"]+"\}')


@dataclass(frozen=True)
class Turn:
    """A finished turn, from each side: the response and events of the user, and the requests to the model.

    ``tool_texts`` are the results of its tool calls, as the texts that the model received.
    """

    user: UserClient
    response: Json
    events: list[Json]
    model_requests: list[Json]
    tool_texts: list[str]

    @property
    def call(self) -> Json:
        """The only tool call of the turn, as the response shows it."""
        (call,) = self.calls
        return call

    @property
    def calls(self) -> list[Json]:
        """The tool calls of the turn, as the response shows them."""
        calls: list[Json] = self.response["tool_calls"]
        return calls

    @property
    def artifacts(self) -> list[Json]:
        """The artifacts of the response."""
        artifacts: list[Json] = self.response["artifacts"]
        return artifacts

    @property
    def tool_result(self) -> Json:
        """The result of the only tool call, as the JSON that the model received."""
        (text,) = self.tool_texts
        tool_result: Json = json.loads(text)
        return tool_result

    @property
    def model_texts(self) -> str:
        """All that the model received, except the pictures that it was shown."""
        return _PICTURE.sub("", json.dumps(self.model_requests))

    @property
    def prompt(self) -> str:
        """The user's message, as the model received it."""
        prompts: list[str] = [
            message["content"] for message in self.model_requests[0]["messages"] if message["role"] == "user"
        ]
        return prompts[-1]

    @property
    def offered_tools(self) -> dict[str, Json]:
        """The tools that the model was offered, by name."""
        return {tool["function"]["name"]: tool["function"] for tool in self.model_requests[0]["tools"]}

    def split(self) -> list["Turn"]:
        """Return the turn once for each call, as if the call was its only one. The artifacts are those of all calls."""
        return [
            replace(
                self,
                response={**self.response, "tool_calls": [call]},
                events=[event for event in self.events if event.get("call_id") == call["call_id"]],
                tool_texts=[text],
            )
            for call, text in zip(self.response["tool_calls"], self.tool_texts, strict=True)
        ]

    def events_of(self, type_: str) -> list[Json]:
        """Return the events of a type."""
        return [event for event in self.events if event["type"] == type_]

    def file_updates(self) -> list[Json]:
        """Return the events that list the files of a call."""
        return [event for event in self.events_of("intermediate_update") if event["update_type"] == "files_update"]

    def downloads(self) -> list[tuple[str, bytes]]:
        """Return the name and content of each artifact, downloaded by its link without signing in."""
        return [(artifact["name"], self.download(artifact)) for artifact in self.artifacts]

    def download(self, artifact: Json) -> bytes:
        """Download an artifact by its link without signing in."""
        return fetch(self.user.url + artifact["download_url"]).raise_for_status().content


@dataclass(frozen=True)
class Batch:
    """The calls of one turn. It saves time in examples that make no files, and is used like a chat."""

    turns: Mapping[str, Turn]

    def call(self, tool: str, arguments: Mapping[str, object] | None = None) -> Turn:
        """Return the turn as if this call was its only one."""
        return self.turns[_key(tool, arguments or {})]


@dataclass(frozen=True)
class Chat:
    """One session of a user."""

    user: UserClient
    session_id: str
    endpoint: FakeEndpoint

    def call(self, tool: str, arguments: Mapping[str, object] | None = None) -> Turn:
        """Run a turn in which the model calls this tool (`server.tool`) once."""
        return self.call_all((tool, arguments or {}))

    def call_all(self, *calls: tuple[str, Mapping[str, object]], message: str = "Please use the tools.") -> Turn:
        """Run a turn in which the model makes these calls at once and then answers."""
        return self.run(
            Answer(calls=[(tool.replace(".", "_"), json.dumps(arguments)) for tool, arguments in calls]),
            message=message,
        )

    def batch(self, *calls: tuple[str, Mapping[str, object]]) -> Batch:
        """Run a turn in which the model makes these calls at once, to look at each of them by itself."""
        turns = self.call_all(*calls).split()
        return Batch({_key(tool, arguments): turn for (tool, arguments), turn in zip(calls, turns, strict=True)})

    def run(self, *replies: Answer, message: str, servers: Sequence[str] = ()) -> Turn:
        """Run a turn in which the model gives these replies and then answers.

        The turn is limited to ``servers``, or else to those of the calls: all servers together have so many tools that
        a model must search for them.
        """
        self.endpoint.replies = [*replies, Answer(["Done."])]
        self.endpoint.requests = []
        tools = [name for reply in replies for name, _ in reply.calls]
        servers = servers or [name for name in self._servers() if any(tool.startswith(f"{name}_") for tool in tools)]
        response = self.user.ask(self.session_id, message, **({"tools": servers} if servers else {}))
        assert response["status"] == "complete", response
        events = self.user.events(self.session_id, response["turn_id"])
        requests = [request.body for request in self.endpoint.requests]
        return Turn(self.user, response, events, requests, _tool_texts(requests, len(response["tool_calls"])))

    def _servers(self) -> list[str]:
        return [server["name"] for server in self.user.request("GET", "/api/tools").json()["servers"]]

    def in_new_session(self) -> "Chat":
        """Return a new session of the same user."""
        return Chat(self.user, self.user.create_session(), self.endpoint)

    def upload(self, name: str, body: bytes) -> Json:
        """Upload a file into the session and return its record."""
        return self.user.upload(self.session_id, name, body)

    def files(self) -> list[Json]:
        """Return the files of the session, as My Files lists them."""
        page = self.user.request("GET", "/api/files", params={"session_id": self.session_id}).json()
        files: list[Json] = page["files"]
        return files

    def read_file(self, file_key: str) -> Any:  # noqa: ANN401  (JSON)
        """Return a file's record with its content as base64."""
        return self.user.request("GET", f"/api/files/{file_key}").json()


def _key(tool: str, arguments: Mapping[str, object]) -> str:
    return f"{tool} {json.dumps(arguments)}"


def _tool_texts(requests: list[Json], count: int) -> list[str]:
    """Return the last results in the last request. The results of earlier turns precede them."""
    texts = [message["content"] for message in requests[-1]["messages"] if message["role"] == "tool"]
    return texts[len(texts) - count :]
