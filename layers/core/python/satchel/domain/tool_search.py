"""Find tools by what they do, and choose the tools of a model request if there are many. No I/O.

The schemas of 1,000 tools have about 100,000 tokens, which each request would send again. So a request offers the tool
``find_tools``, the tools that the user calls most, and the latest that the conversation has found or called, in the
order in which it did: a request then only adds to the tools of the one before, and the provider can cache them.

The ranking is BM25. The libraries for it (rank-bm25, bm25s) need numpy, which is larger than the whole function.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from satchel.domain.attachments import DOCUMENTS_SERVER
from satchel.domain.conversation import AssistantMessage, Message, ToolMessage, ToolSpec
from satchel.domain.tools import BUILTIN_SERVER, FIND_TOOLS

MANY_TOOLS = 40
"""If a turn may call more tools, its requests offer only some of them."""

MAX_FOUND = 10
"""The number of tools that a search returns."""

_MAX_OFFERED = 30
_USUAL_TOOLS = 10
_K1, _B = 1.2, 0.3
_NAME_WEIGHT = 2
_MAX_TEXT_CHARS = 2000
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_]+")
_ENDINGS = (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("xes", "x"), ("ing", ""), ("ed", ""), ("es", "e"), ("s", ""))
_MIN_STEM = 3
_STOP_WORDS = frozenset(
    {"a", "all", "an", "and", "are", "as", "at", "be", "by", "can", "did", "do", "does", "for", "from", "get", "has"}
    | {"have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "our", "the", "their"}
    | {"them", "there", "this", "to", "up", "was", "we", "what", "when", "where", "which", "who", "will", "with"}
    | {"you", "your"}
)
_MEANINGS: Mapping[str, str] = {
    word: action
    for action, words in {
        "create": "add book build draw enter file give insert log make new open post publish put record report "
        "schedule send start upload write",
        "delete": "cancel clear drop erase remove revoke uninvite",
        "list": "browse find free running search show",
        "get": "check fetch look open read status view",
        "update": "change correct edit modify move rename resize scale set",
    }.items()
    for word in words.split()
}
"""Verbs of users, with the verb that most servers use in the names of their tools."""
_MEANING_WEIGHT = 0.8


def find_tools(tools: Sequence[ToolSpec], query: str, limit: int = MAX_FOUND) -> list[ToolSpec]:
    """Return the tools that match a query best, the best first."""
    return ToolIndex(tools).search(query, limit)


@dataclass
class ToolIndex:
    """An index of the words in the tools' names, titles, descriptions and argument names."""

    tools: Sequence[ToolSpec]
    _counts: list[Counter[str]] = field(init=False)
    _containing: Counter[str] = field(init=False)
    _mean_length: float = field(init=False)

    def __post_init__(self) -> None:
        self._counts = [Counter(_tool_words(tool)) for tool in self.tools]
        # ``delete_card`` rarely says what a card is, but ``create_card`` does. So such tools share their words.
        families: dict[tuple[str, ...], set[str]] = {}
        for tool in self.tools:
            families.setdefault(_family(tool), set()).update(_words(tool.description[:_MAX_TEXT_CHARS]))
        for tool, counts in zip(self.tools, self._counts, strict=True):
            counts.update(families[_family(tool)] - counts.keys())
        self._containing = Counter(word for counts in self._counts for word in counts)
        self._mean_length = sum(counts.total() for counts in self._counts) / max(1, len(self._counts))

    def search(self, query: str, limit: int) -> list[ToolSpec]:
        """Return at most ``limit`` tools that have a word of the query, the best first."""
        weights = _query_weights(query)
        scored = [(self._score(counts, weights), tool) for counts, tool in zip(self._counts, self.tools, strict=True)]
        found = sorted((each for each in scored if each[0] > 0), key=lambda each: (-each[0], each[1].full_name))
        return [tool for _, tool in found[:limit]]

    def _score(self, counts: Counter[str], weights: Mapping[str, float]) -> float:
        norm = _K1 * (1 - _B + _B * counts.total() / self._mean_length)
        return sum(
            weight * self._rarity(word) * count * (_K1 + 1) / (count + norm)
            for word, weight in weights.items()
            if (count := counts[word])
        )

    def _rarity(self, word: str) -> float:
        containing = self._containing[word]
        return math.log(1 + (len(self.tools) - containing + 0.5) / (containing + 0.5))


def choose_tools(tools: Sequence[ToolSpec], messages: Iterable[Message], tool_use: Mapping[str, int]) -> list[ToolSpec]:
    """Return the tools to offer: all if they are few, else some and ``find_tools``. The order never depends on chance.

    Some are the built-in tools, those that read documents, those that the user calls most (``tool_use`` counts the
    calls by full name), and those that the conversation has found or called.
    """
    if len(tools) <= MANY_TOOLS:
        return list(tools)
    by_name = {tool.full_name: tool for tool in tools}
    always = [tool for tool in tools if tool.server in {BUILTIN_SERVER, DOCUMENTS_SERVER}]
    always += [by_name[name] for name in _usual_tools(tool_use, by_name) if by_name[name] not in always]
    names = dict.fromkeys(name for name in _known_names(messages) if name in by_name)
    recent = [by_name[name] for name in list(names)[-_MAX_OFFERED:] if by_name[name] not in always]
    return [FIND_TOOLS, *always, *recent]


def _usual_tools(tool_use: Mapping[str, int], known: Collection[str]) -> list[str]:
    """Return the names of the known tools that the user calls most, sorted.

    Counts are compared by their number of binary digits. Otherwise, the choice would change with nearly every turn, and
    the provider could not read the requests from its cache.
    """
    used = sorted((-count.bit_length(), name) for name, count in tool_use.items() if name in known)
    return sorted(name for _, name in used[:_USUAL_TOOLS])


def _known_names(messages: Iterable[Message]) -> Iterator[str]:
    """Yield the full names of the tools that a conversation has called or found, the oldest first."""
    for message in messages:
        if isinstance(message, AssistantMessage):
            yield from (call.tool for call in message.calls)
        elif isinstance(message, ToolMessage) and message.tool == FIND_TOOLS.full_name:
            results = message.content.get("results")
            found = results.get("tools") if isinstance(results, dict) else None
            yield from (str(each["tool"]) for each in found or [])


def _family(tool: ToolSpec) -> tuple[str, ...]:
    """Return what the tools of a server have in common that do different things to the same object."""
    return (tool.server, *_words(tool.name)[1:])


def _tool_words(tool: ToolSpec) -> list[str]:
    properties = tool.input_schema.get("properties")
    names = " ".join(properties) if isinstance(properties, dict) else ""
    words = _words(f"{tool.server} {tool.name}") * _NAME_WEIGHT + _words(tool.title or "")
    return words + _words(f"{tool.description[:_MAX_TEXT_CHARS]} {names[:_MAX_TEXT_CHARS]}")


def _query_weights(query: str) -> dict[str, float]:
    """Return the words of a query with their weights. Verbs also match the usual verb of tools' names."""
    weights: dict[str, float] = {}
    for word in _WORD.findall(query[:_MAX_TEXT_CHARS]):
        lower = word.lower()
        if action := _MEANINGS.get(lower):
            weights.setdefault(_stem(action), _MEANING_WEIGHT)
        if lower not in _STOP_WORDS:
            weights[_stem(lower)] = 1.0
    return weights


def _words(text: str) -> list[str]:
    words = (word.lower() for word in _WORD.findall(text))
    return [_stem(word) for word in words if word == "get" or word not in _STOP_WORDS]


def _stem(word: str) -> str:
    """Return the word without its ending, so that ``issues`` matches ``issue``, and ``renaming`` matches ``rename``."""
    for ending, replacement in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            word = word.removesuffix(ending) + replacement
            break
    return word.removesuffix("e")
