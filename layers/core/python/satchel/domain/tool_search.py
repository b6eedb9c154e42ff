"""Find tools by what they do, and choose the tools of a model request if there are many. No I/O.

The schemas of 1,000 tools have about 100,000 tokens, which each request would send again. So a request offers the tool
``find_tools``, the tools that the user calls most, and the latest that the conversation has found or called, in the
order in which it did: a request then only adds to the tools of the one before, and the provider can cache them.

The ranking is BM25. The libraries for it (rank-bm25, bm25s) need numpy, which is larger than the whole function.
``search_words`` says which words match.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from satchel.domain.attachments import DOCUMENTS_SERVER
from satchel.domain.conversation import AssistantMessage, Message, ToolMessage, ToolSpec
from satchel.domain.search_words import meanings, words
from satchel.domain.tools import BUILTIN_SERVER, FIND_TOOLS

MANY_TOOLS = 40
"""If a turn may call more tools, its requests offer only some of them."""

MAX_FOUND = 14
"""The number of tools that a search returns."""

_MAX_OFFERED = 2 * MAX_FOUND
_USUAL_TOOLS = 10
_K1, _B = 1.2, 0.75
"""The usual parameters of BM25."""
_NAME_WEIGHT = 3
_MEANING_WEIGHT = 0.5
_COVERAGE = 0.5  # the power of the share of the query's words that a tool has
_MAX_TEXT_CHARS = 2000


def find_tools(tools: Sequence[ToolSpec], query: str, limit: int = MAX_FOUND) -> list[ToolSpec]:
    """Return the tools that match a query best, the best first."""
    return ToolIndex(tools).search(query, limit)


@dataclass
class ToolIndex:
    """An index of the words in the tools' names, titles, descriptions and argument names."""

    tools: Sequence[ToolSpec]
    _counts: list[Counter[str]] = field(init=False)
    _meanings: list[Counter[str]] = field(init=False)
    _containing: Counter[str] = field(init=False)
    _with_meaning: Counter[str] = field(init=False)
    _mean_length: float = field(init=False)

    def __post_init__(self) -> None:
        self._counts = [Counter(_tool_words(tool)) for tool in self.tools]
        # ``delete_card`` rarely says what a card is, but ``create_card`` does. So such tools share their words.
        families: dict[tuple[str, ...], set[str]] = {}
        for tool in self.tools:
            families.setdefault(_family(tool), set()).update(words(tool.description[:_MAX_TEXT_CHARS]))
        for tool, counts in zip(self.tools, self._counts, strict=True):
            counts.update(families[_family(tool)] - counts.keys())
        self._meanings = [_count_meanings(counts) for counts in self._counts]
        self._containing = Counter(word for counts in self._counts for word in counts)
        self._with_meaning = Counter(meaning for counts in self._meanings for meaning in counts)
        self._mean_length = sum(counts.total() for counts in self._counts) / max(1, len(self._counts))

    def search(self, query: str, limit: int) -> list[ToolSpec]:
        """Return at most ``limit`` tools that have a word of the query, or one with its meaning, the best first."""
        stems = words(query[:_MAX_TEXT_CHARS])
        compounds = [first + second for first, second in pairwise(stems) if first + second in self._containing]
        terms = dict.fromkeys([*stems, *compounds])  # a ``heat map`` is a ``heatmap``
        known = [word for word in terms if word in self._containing or self._with_meaning.keys() & meanings(word)]
        scored = [(self._score(number, known), tool) for number, tool in enumerate(self.tools)]
        found = sorted((each for each in scored if each[0] > 0), key=lambda each: (-each[0], each[1].full_name))
        return [tool for _, tool in found[:limit]]

    def _score(self, number: int, known: Sequence[str]) -> float:
        """Return the score of a tool. Tools with more of the words score higher than those with one word often."""
        parts = [part for word in known if (part := self._score_of_word(number, word))]
        return sum(parts) * math.pow(len(parts) / max(1, len(known)), _COVERAGE)

    def _score_of_word(self, number: int, word: str) -> float:
        counts, with_meaning = self._counts[number], self._meanings[number]
        norm = _K1 * (1 - _B + _B * counts.total() / self._mean_length)
        score = _saturated(counts[word], norm) * self._rarity(self._containing[word])
        for meaning in meanings(word):
            rarity = self._rarity(self._with_meaning[meaning])
            score += _MEANING_WEIGHT * _saturated(with_meaning[meaning], norm) * rarity
        return score

    def _rarity(self, containing: int) -> float:
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


def _saturated(count: int, norm: float) -> float:
    return count * (_K1 + 1) / (count + norm)


def _count_meanings(counts: Counter[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for word, count in counts.items():
        for meaning in meanings(word):
            found[meaning] += count
    return found


def _family(tool: ToolSpec) -> tuple[str, ...]:
    """Return what the tools of a server have in common that do different things to the same object."""
    return (tool.server, *words(tool.name)[1:])


def _tool_words(tool: ToolSpec) -> list[str]:
    properties = tool.input_schema.get("properties")
    names = " ".join(properties) if isinstance(properties, dict) else ""
    named = words(f"{tool.server} {tool.name}") * _NAME_WEIGHT + words(tool.title or "")
    return named + words(f"{tool.description[:_MAX_TEXT_CHARS]} {names[:_MAX_TEXT_CHARS]}")
