"""A tool's output as the lint rules see it: its payload, its contract fields and the JSON path of each value."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from satchel.contract import normalize
from satchel.contract.jsonable import NotJsonError, parse_json
from satchel.contract.normalize import RECOGNIZERS
from satchel.contract.shapes.mcp_result import ABSENT, NO_MATCH, Match, McpResult, parse_mcp_result, wrap_value
from satchel.contract.shapes.recognizers import is_contract_payload
from satchel.domain.ids import UserName

_PLAIN_KEY = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_MAX_NESTING = 3
_WRAP_MARK = "x-fastmcp-wrap-result"
_STRUCTURED = ("structuredContent", "structured_content")
_CONTRACT_ONLY = (
    "results",
    "meta_data",
    "meta-data",
    "returned_file_names",
    "returned_file_contents",
    "deferred_artifacts",
)
_FILE_FIELDS = frozenset({"b64", "path", "mime"})


@dataclass(frozen=True)
class Node:
    """A JSON value in a tool's output, with its JSON path."""

    json_path: str
    value: Any = field(repr=False)

    @property
    def is_object(self) -> bool:
        """Return True if the value is a JSON object. The object may be empty."""
        return isinstance(self.value, Mapping)

    @property
    def fields(self) -> Mapping[str, Any]:
        """Return the value's fields if it is a JSON object, otherwise an empty mapping."""
        return self.value if isinstance(self.value, Mapping) else {}

    def get(self, key: str) -> Self | None:
        """Return the field ``key``, or None if the field is missing or null. The contract treats null as missing."""
        value = self.fields.get(key)
        return None if value is None else type(self)(self.json_path + path_step(key), value)

    def text(self, key: str) -> str | None:
        """Return the field ``key`` if it is a string, otherwise None."""
        value = self.fields.get(key)
        return value if isinstance(value, str) else None

    def items(self) -> list[Self]:
        """Return the value's items if it is a list, otherwise an empty list."""
        values = self.value if isinstance(self.value, list | tuple) else []
        return [type(self)(f"{self.json_path}[{index}]", value) for index, value in enumerate(values)]

    def items_of(self, key: str) -> list[Self]:
        """Return the items of the field ``key`` if the field is a list, otherwise an empty list."""
        node = self.get(key)
        return node.items() if node else []

    def children(self) -> list[Self]:
        """Return a list's items or an object's field values. Return an empty list for any other value."""
        if items := self.items():
            return items
        return [type(self)(self.json_path + path_step(str(key)), value) for key, value in self.fields.items()]


def path_step(key: str) -> str:
    """Return a key as one step of a JSON path: ``.key`` or ``["other key"]``."""
    return f".{key}" if _PLAIN_KEY.fullmatch(key) else f"[{json.dumps(key)}]"


@dataclass(frozen=True)
class CallContext:
    """Facts about the tool call that produced an output.

    ``user`` is None if the user is unknown. ``home`` is the user's directory, and ``silent_seconds`` is the longest
    time without a message from the tool. Without a call (a saved output), ``home`` is None and ``silent_seconds`` is 0.
    """

    user: UserName | None = None
    home: Path | None = None
    silent_seconds: float = 0.0


@dataclass(frozen=True)
class ToolOutput:
    """A tool's parsed output.

    ``payload`` is the value that the tool returned, or ABSENT. ``contract_objects`` are the objects that may have
    contract fields: the payload if it follows the contract, and each ``tools/call`` result that contains the payload.
    ``blocks`` are the content blocks. ``file_names`` are the names of all files in the output. ``error_text`` is None
    if the server did not mark the result as an error. ``ignored_data`` are the ``data`` fields that Satchel ignores,
    because they differ from the structured content.
    """

    payload: Node
    contract_objects: Sequence[Node] = ()
    blocks: Sequence[Node] = ()
    file_names: frozenset[str] = frozenset()
    error_text: str | None = None
    ignored_data: Sequence[Node] = ()
    context: CallContext = CallContext()

    @property
    def payload_uses_contract(self) -> bool:
        """Return True if the payload is one of ``contract_objects``."""
        return any(node.value is self.payload.value for node in self.contract_objects)

    @property
    def results(self) -> Node | None:
        """Return the payload's ``results`` field, or the whole payload if it has no contract fields."""
        if "results" in self.payload.fields:
            return self.payload.get("results")
        return None if self.payload_uses_contract or self.payload.value is ABSENT else self.payload

    @property
    def artifacts(self) -> list[Node]:
        """Return all items of ``artifacts`` that are objects."""
        return self._files("artifacts")

    @property
    def deferred(self) -> list[Node]:
        """Return all items of ``deferred_artifacts`` that are objects."""
        return self._files("deferred_artifacts")

    def fields_at(self, *keys: str) -> list[Node]:
        """Return the nested field at the path ``keys`` from each contract object that has this field."""
        nodes: list[Node] = list(self.contract_objects)
        for key in keys:
            nodes = [child for node in nodes if (child := node.get(key))]
        return nodes

    def _files(self, key: str) -> list[Node]:
        lists = self.fields_at(key)
        return [item for node in lists for item in ([node] if node.is_object else node.items()) if item.is_object]


@dataclass(frozen=True)
class _Layer:
    """A ``tools/call`` result and its payload. The payload may be another ``tools/call`` result, the next layer."""

    node: Node
    result: McpResult
    payload: Node


def parse_output(raw: object, context: CallContext, output_schema: Mapping[str, Any] | None = None) -> ToolOutput:
    """Parse the raw result of ``tools/call``, or the object that the tool returned.

    Raise ContractError if Satchel's normalizer cannot read the output.
    """
    root = Node("$", raw)
    if "jsonrpc" in root.fields and (result := root.get("result")):
        root = result
    output = normalize(root.value, output_schema=output_schema)
    file_names = {artifact.name for artifact in output.artifacts} | {problem.name for problem in output.problems}
    is_wrapped = output_schema is not None and output_schema.get(_WRAP_MARK) is True
    layers = list(_layers(root, is_wrapped=is_wrapped))
    payload = layers[-1].payload
    around = [Node(layer.node.json_path, layer.result.extra_fields) for layer in layers if layer.result.extra_fields]
    return ToolOutput(
        payload=payload,
        contract_objects=[
            *([payload] if uses_contract(payload) else []),
            *(node for node in around if node.value is not payload.value),
        ],
        blocks=[block for layer in layers for block in _blocks(layer)],
        file_names=frozenset(file_names),
        error_text=_error_text(layers),
        ignored_data=[node for layer in layers for node in _ignored_data(layer)],
        context=context,
    )


def uses_contract(payload: Node) -> bool:
    """Return True if the payload's fields show that it follows the contract. ``display`` alone does not show this."""
    fields = payload.fields
    if is_contract_payload(fields) or any(key in fields for key in _CONTRACT_ONLY):
        return True
    return any(_FILE_FIELDS & item.fields.keys() for item in payload.items_of("artifacts"))


def _layers(node: Node, *, is_wrapped: bool) -> Iterator[_Layer]:
    """Yield a ``tools/call`` result. While the payload is another ``tools/call`` result, yield that result, too."""
    for _ in range(_MAX_NESTING):
        parsed = parse_mcp_result(node.value)
        result = parsed or wrap_value(node.value)
        result = replace(result, wrapped=result.wrapped or is_wrapped or _is_unmarked_wrapper(result))
        match = next((match for recognize in RECOGNIZERS if (match := recognize(result))), NO_MATCH)
        json_path = _payload_path(node, result, match) if parsed else node.json_path
        payload = Node(json_path, ABSENT if match is NO_MATCH else match.payload)
        yield _Layer(node, result, payload)
        if "results" in payload.fields or parse_mcp_result(payload.value) is None:
            return
        node, is_wrapped = payload, False


def _payload_path(node: Node, result: McpResult, match: Match) -> str:
    """Return the JSON path of a call result's payload."""
    if match is NO_MATCH or match.payload is result.extra_fields:
        return node.json_path
    if result.structured is not ABSENT:
        key = next(key for key in _STRUCTURED if node.fields.get(key) is not None)
        inner = "" if match.payload is result.structured else ".result"
        return f"{node.json_path}.{key}{inner}"
    if match.used_blocks:
        index = next(index for index, block in enumerate(result.content) if block is match.used_blocks[0])
        return f"{_content_path(node)}[{index}].text"
    return f"{node.json_path}.data"


def _blocks(layer: _Layer) -> list[Node]:
    return [Node(f"{_content_path(layer.node)}[{index}]", block) for index, block in enumerate(layer.result.content)]


def _content_path(node: Node) -> str:
    return f"{node.json_path}.content" if node.fields else node.json_path


def _is_unmarked_wrapper(result: McpResult) -> bool:
    """Return True if the structured content is ``{"result": value}``, and a text block contains the same value."""
    wrapper = result.structured
    if not isinstance(wrapper, Mapping) or wrapper.keys() != {"result"}:
        return False
    return any(wrapper["result"] in (block["text"], _parse_or_absent(block["text"])) for block in result.texts)


def _parse_or_absent(text: str) -> object:
    try:
        return parse_json(text)
    except NotJsonError:
        return ABSENT


def _ignored_data(layer: _Layer) -> Iterator[Node]:
    """Yield the field ``data``, which a client library added, if it differs from the server's structured content."""
    result = layer.result
    if ABSENT not in (result.data, result.structured) and result.data not in (result.structured, layer.payload.value):
        yield Node(f"{layer.node.json_path}.data", result.data)


def _error_text(layers: list[_Layer]) -> str | None:
    """Return the text of a result that the server marked as an error, or None if no result is marked."""
    if not any(layer.result.is_error for layer in layers):
        return None
    return "\n".join(block["text"] for layer in layers for block in layer.result.texts)
