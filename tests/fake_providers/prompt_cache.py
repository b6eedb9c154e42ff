"""Model of a provider's prompt cache: how many input tokens of a request are read from it, written to it, or neither.

The cache holds beginnings of earlier requests. Bedrock and Anthropic store a beginning at each cache point of a request
(at most 4), and look up to 20 content blocks back from a cache point for a stored beginning. OpenAI stores every
request, and finds common beginnings in steps of 128 tokens. Beginnings of less than 1,024 tokens are never stored.
Tokens are estimated from the length of the JSON.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from satchel.domain.token_budget import estimate_tokens

MAX_CACHE_POINTS = 4
_LOOKBACK_BLOCKS = 20
_MIN_TOKENS = 1024
_STEP_TOKENS = 128
_MARKS = ("cachePoint", "cache_control")


@dataclass(frozen=True)
class CachedTokens:
    """Input tokens of a request: read from the cache, written to it, and processed without it."""

    read: int = 0
    written: int = 0
    uncached: int = 0

    @property
    def total(self) -> int:
        return self.read + self.written + self.uncached

    def __add__(self, other: "CachedTokens") -> "CachedTokens":
        return CachedTokens(self.read + other.read, self.written + other.written, self.uncached + other.uncached)


@dataclass(frozen=True)
class Block:
    """A tool, a part of the system prompt or a part of a message, as JSON. ``marked``: a cache point follows it."""

    text: str
    marked: bool


@dataclass
class PromptCache:
    """The cache of one model. ``explicit``: the provider caches only at cache points."""

    explicit: bool
    _stored: set[tuple[str, ...]] = field(default_factory=set)

    def send(self, body: dict[str, Any]) -> CachedTokens:
        """Process a request as the provider does, and store its beginnings."""
        blocks = list(read_blocks(body))
        texts = tuple(block.text for block in blocks)
        tokens = [0, *accumulate(map(estimate_tokens, texts))]
        points = [number for number, block in enumerate(blocks, 1) if block.marked]
        if self.explicit:
            assert len(points) <= MAX_CACHE_POINTS, f"{len(points)} cache points"
        ends = [end for end in (points if self.explicit else range(1, len(blocks) + 1)) if tokens[end] >= _MIN_TOKENS]
        back = _LOOKBACK_BLOCKS if self.explicit else 0
        found = (length for end in ends for length in range(end, max(0, end - back - 1), -1))
        read = tokens[max((length for length in found if texts[:length] in self._stored), default=0)]
        if not self.explicit:
            read -= read % _STEP_TOKENS
        stored_until = max((tokens[end] for end in ends), default=0) if self.explicit else read
        self._stored.update(texts[:end] for end in ends)
        return CachedTokens(read, max(0, stored_until - read), tokens[-1] - max(read, stored_until))


def read_blocks(body: dict[str, Any]) -> Iterator[Block]:
    """Yield the blocks of a request in the order in which caches compare them: tools, system prompt, messages."""
    parts: list[dict[str, Any]] = [*(body.get("tools") or body.get("toolConfig", {}).get("tools", []))]
    system = body.get("system", [])
    parts += [{"text": system}] if isinstance(system, str) else system
    for message in body["messages"]:
        content = message.get("content")
        if isinstance(content, list):
            parts += [{"role": message["role"], **part} for part in content]
        else:
            parts.append(message)
    automatic = "cache_control" in body  # Anthropic sets a cache point at the last block
    for index, part in enumerate(parts):
        if set(part) - {"role"} == {"cachePoint"}:
            continue
        after = parts[index + 1] if index + 1 < len(parts) else {}
        marked = "cache_control" in part or "cachePoint" in after or (automatic and index + 1 == len(parts))
        yield Block(json.dumps({name: value for name, value in part.items() if name not in _MARKS}), marked)
