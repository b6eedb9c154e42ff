"""Opening an output: from the raw result of a call, or the tool's own object, to what the rules look at."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from local.lint.subject import Node, Run, Subject
from satchel.contract import normalize
from satchel.contract.jsonable import NotJsonError, parse
from satchel.contract.normalize import RECOGNISERS
from satchel.contract.shapes.answer import ABSENT, NOTHING, Answer, Found, answer_of, plain_answer
from satchel.contract.shapes.payload import is_contract

_MAX_NESTING = 3
_WRAP_MARK = "x-fastmcp-wrap-result"
_STRUCTURED = ("structuredContent", "structured_content")
_OWN = ("results", "meta_data", "meta-data", "returned_file_names", "returned_file_contents", "deferred_artifacts")
_OF_A_FILE = frozenset({"b64", "path", "mime"})


@dataclass(frozen=True)
class _Layer:
    """An answer, where it stands, and the payload that was found in it."""

    node: Node
    answer: Answer
    payload: Node


def open_output(raw: object, run: Run, output_schema: Mapping[str, Any] | None = None) -> Subject:
    """Open what a tool returned. Raises ContractError where not even the normaliser can make anything of it."""
    root = Node("$", raw)
    if "jsonrpc" in root.fields and (result := root.get("result")):
        root = result
    output = normalize(root.value, output_schema=output_schema)
    names = {artifact.name for artifact in output.artifacts} | {problem.name for problem in output.problems}
    wrapped = output_schema is not None and output_schema.get(_WRAP_MARK) is True
    layers = list(_layers(root, wrapped=wrapped))
    payload = layers[-1].payload
    around = [Node(layer.node.where, layer.answer.rest) for layer in layers if layer.answer.rest]
    return Subject(
        payload=payload,
        objects=[
            *([payload] if speaks_contract(payload) else []),
            *(node for node in around if node.value is not payload.value),
        ],
        blocks=[block for layer in layers for block in _blocks(layer)],
        names=frozenset(names),
        failure=_failure(layers),
        ignored=[node for layer in layers for node in _ignored(layer)],
        run=run,
    )


def speaks_contract(payload: Node) -> bool:
    """Tell whether an object means to keep the contract; a tool's own data may well have a field ``display``."""
    fields = payload.fields
    if is_contract(fields) or any(key in fields for key in _OWN):
        return True
    return any(_OF_A_FILE & item.fields.keys() for item in payload.list_of("artifacts"))


def _layers(node: Node, *, wrapped: bool) -> Iterator[_Layer]:
    """Open the answer, then the answer that is its payload: tools return, as their data, what a server should."""
    for _ in range(_MAX_NESTING):
        whole = answer_of(node.value)
        answer = whole or plain_answer(node.value)
        answer = replace(answer, wrapped=answer.wrapped or wrapped or _is_wrapper(answer))
        found = next((found for known in RECOGNISERS if (found := known(answer))), NOTHING)
        where = _where(node, answer, found) if whole else node.where
        payload = Node(where, ABSENT if found is NOTHING else found.payload)
        yield _Layer(node, answer, payload)
        if "results" in payload.fields or answer_of(payload.value) is None:
            return
        node, wrapped = payload, False


def _where(node: Node, answer: Answer, found: Found) -> str:
    """Return where in an answer the payload was found."""
    if found is NOTHING or found.payload is answer.rest:
        return node.where
    if answer.structured is not ABSENT:
        key = next(key for key in _STRUCTURED if node.fields.get(key) is not None)
        inner = "" if found.payload is answer.structured else ".result"
        return f"{node.where}.{key}{inner}"
    if found.used:
        index = next(index for index, block in enumerate(answer.content) if block is found.used[0])
        return f"{_content_path(node)}[{index}].text"
    return f"{node.where}.data"


def _blocks(layer: _Layer) -> list[Node]:
    return [Node(f"{_content_path(layer.node)}[{index}]", block) for index, block in enumerate(layer.answer.content)]


def _content_path(node: Node) -> str:
    return f"{node.where}.content" if node.fields else node.where


def _is_wrapper(answer: Answer) -> bool:
    """See through the wrapper of a server that does not mark it: then the text is what was wrapped, not the wrapper."""
    wrapper = answer.structured
    if not isinstance(wrapper, Mapping) or wrapper.keys() != {"result"}:
        return False
    return any(wrapper["result"] in (block["text"], _parsed(block["text"])) for block in answer.texts)


def _parsed(text: str) -> object:
    try:
        return parse(text)
    except NotJsonError:
        return ABSENT


def _ignored(layer: _Layer) -> Iterator[Node]:
    """Give the parsed result of a client's library where it is not what the server sent (spec 1, edge cases)."""
    answer = layer.answer
    if ABSENT not in (answer.data, answer.structured) and answer.data not in (answer.structured, layer.payload.value):
        yield Node(f"{layer.node.where}.data", answer.data)


def _failure(layers: list[_Layer]) -> str | None:
    """Return what a server that marked its answer as an error said in it; None where none is marked."""
    if not any(layer.answer.is_error for layer in layers):
        return None
    return "\n".join(block["text"] for layer in layers for block in layer.answer.texts)
