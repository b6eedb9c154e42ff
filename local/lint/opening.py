"""Opening an output: from the raw result of a call, or the tool's own object, to what the rules look at."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from local.lint.subject import Node, Run, Subject
from satchel.contract import normalize
from satchel.contract.jsonable import NotJsonError, parse_json
from satchel.contract.normalize import RECOGNIZERS
from satchel.contract.shapes.call_result import ABSENT, NO_MATCH, CallResult, Match, parse_call_result, wrap_value
from satchel.contract.shapes.recognizers import is_contract_payload

_MAX_NESTING = 3
_WRAP_MARK = "x-fastmcp-wrap-result"
_STRUCTURED = ("structuredContent", "structured_content")
_OWN = ("results", "meta_data", "meta-data", "returned_file_names", "returned_file_contents", "deferred_artifacts")
_OF_A_FILE = frozenset({"b64", "path", "mime"})


@dataclass(frozen=True)
class _Layer:
    """An answer, where it stands, and the payload that was found in it."""

    node: Node
    answer: CallResult
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
    around = [Node(layer.node.where, layer.answer.extra_fields) for layer in layers if layer.answer.extra_fields]
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
    if is_contract_payload(fields) or any(key in fields for key in _OWN):
        return True
    return any(_OF_A_FILE & item.fields.keys() for item in payload.list_of("artifacts"))


def _layers(node: Node, *, wrapped: bool) -> Iterator[_Layer]:
    """Open the answer, then the answer that is its payload: tools return, as their data, what a server should."""
    for _ in range(_MAX_NESTING):
        whole = parse_call_result(node.value)
        answer = whole or wrap_value(node.value)
        answer = replace(answer, wrapped=answer.wrapped or wrapped or _is_wrapper(answer))
        found = next((found for known in RECOGNIZERS if (found := known(answer))), NO_MATCH)
        where = _where(node, answer, found) if whole else node.where
        payload = Node(where, ABSENT if found is NO_MATCH else found.payload)
        yield _Layer(node, answer, payload)
        if "results" in payload.fields or parse_call_result(payload.value) is None:
            return
        node, wrapped = payload, False


def _where(node: Node, answer: CallResult, found: Match) -> str:
    """Return where in an answer the payload was found."""
    if found is NO_MATCH or found.payload is answer.extra_fields:
        return node.where
    if answer.structured is not ABSENT:
        key = next(key for key in _STRUCTURED if node.fields.get(key) is not None)
        inner = "" if found.payload is answer.structured else ".result"
        return f"{node.where}.{key}{inner}"
    if found.used_blocks:
        index = next(index for index, block in enumerate(answer.content) if block is found.used_blocks[0])
        return f"{_content_path(node)}[{index}].text"
    return f"{node.where}.data"


def _blocks(layer: _Layer) -> list[Node]:
    return [Node(f"{_content_path(layer.node)}[{index}]", block) for index, block in enumerate(layer.answer.content)]


def _content_path(node: Node) -> str:
    return f"{node.where}.content" if node.fields else node.where


def _is_wrapper(answer: CallResult) -> bool:
    """See through the wrapper of a server that does not mark it: then the text is what was wrapped, not the wrapper."""
    wrapper = answer.structured
    if not isinstance(wrapper, Mapping) or wrapper.keys() != {"result"}:
        return False
    return any(wrapper["result"] in (block["text"], _parsed(block["text"])) for block in answer.texts)


def _parsed(text: str) -> object:
    try:
        return parse_json(text)
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
