"""Requests a prompt or a resource from a server, in the runner. The API's requests come here through ``refresh``."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pybase64

from satchel.contract import Artifact, normalize
from satchel.contract.errors import ContractError, ToolCrashed
from satchel.domain.resources import MAX_OFFERED_CHARS, MAX_VALUES, OfferAnswer, OfferedFile, OfferRequest
from satchel.ports.system import Clock
from satchel.ports.tool_client import CallFailure, RunningCall, ToolClient, ToolResult

MAX_SECONDS = 24.0
"""The time for an answer. The function that waits for it gives up after 25 s."""


class _UnusableError(Exception):
    """The answer has a part that no message can contain."""


@dataclass(frozen=True)
class ReadOffer:
    """Return a server's answer to a request for a prompt, a resource or the values of a prompt's argument."""

    client: ToolClient
    clock: Clock
    max_chars: int = MAX_OFFERED_CHARS

    def __call__(self, request: OfferRequest) -> OfferAnswer:
        """Return the answer, or the problem that the server names. Raise ToolCrashed if the server does not answer."""
        arguments = _arguments(request)
        with self.client.call(request.name, arguments, None, writes=False, method=request.method) as running:
            result = self._wait(running)
        if isinstance(result, CallFailure):
            return OfferAnswer(problem=result.message)
        try:
            return self._answer(request, result.raw)
        except (_UnusableError, ContractError) as error:
            return OfferAnswer(problem=str(error))

    def _wait(self, running: RunningCall) -> ToolResult | CallFailure:
        deadline = self.clock.monotonic() + MAX_SECONDS
        while (left := deadline - self.clock.monotonic()) > 0:
            event = running.receive(left)
            if isinstance(event, CallFailure) and event.crashed:
                raise ToolCrashed(event.message)
            if isinstance(event, ToolResult | CallFailure):
                return event
        running.kill()
        raise ToolCrashed(f"The server did not answer within {MAX_SECONDS:g} seconds")

    def _answer(self, request: OfferRequest, raw: dict[str, Any]) -> OfferAnswer:
        if request.method == "completion/complete":
            return OfferAnswer(values=_values(raw))
        blocks = [block for block in raw.get("content") or [] if isinstance(block, dict)]
        texts = [str(block.get("text")) for block in blocks if block.get("type") == "text"]
        rest = [block for block in blocks if block.get("type") != "text"]
        answer = OfferAnswer(text="\n\n".join(texts), files=list(_files(rest)))
        chars = len(answer.text) + sum(len(file.b64) for file in answer.files)
        if chars > self.max_chars:
            raise _UnusableError(
                f"The answer is too large: {chars / 1e6:.1f} million characters, at most {self.max_chars / 1e6:g}"
            )
        return answer


def _arguments(request: OfferRequest) -> dict[str, Any]:
    if request.method == "resources/read":
        return {"uri": request.name}
    if request.method == "completion/complete":
        return {"argument": request.argument, "arguments": request.arguments}
    return dict(request.arguments)


def _values(raw: dict[str, Any]) -> list[str]:
    completion = raw.get("completion")
    values = completion.get("values") if isinstance(completion, dict) else None
    return [each for each in values or [] if isinstance(each, str)][:MAX_VALUES]


def _files(blocks: list[dict[str, Any]]) -> Iterator[OfferedFile]:
    """Yield the files of these content blocks. Raise _UnusableError for one whose content is elsewhere."""
    if not blocks:
        return
    output = normalize({"content": blocks})
    for problem in output.problems:
        raise _UnusableError(f"The server returned an invalid file ({problem.name}: {problem.reason})")
    for artifact in output.artifacts:
        yield OfferedFile(name=artifact.name, mime=artifact.mime, b64=_base64(artifact))


def _base64(artifact: Artifact) -> str:
    content = None if artifact.uri else artifact.inline_bytes()
    if content is None:
        raise _UnusableError(f"The server links {artifact.name}, but does not return its content")
    return pybase64.b64encode(content).decode()
