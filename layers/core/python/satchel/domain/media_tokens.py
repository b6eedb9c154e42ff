"""Estimate how many tokens pictures and PDF pages use, by the formulas of the models' vendors.

docs/models.md names the source of each figure.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

PictureTokens = Callable[[int, int], int]
"""Returns the tokens of a picture with this width and height in pixels."""

_PAGE = (1075, 1520)  # an A4 page with 130 dots per inch
_PAGE_TEXT_TOKENS = 2_250


@dataclass(frozen=True)
class Patches:
    """One token, times ``factor``, for each square of ``size`` pixels after scaling down to the maximum values."""

    size: int
    max_edge: int
    max_patches: int
    factor: float = 1.0

    def __call__(self, width: int, height: int) -> int:
        """Return the tokens of a picture."""
        edge = self.size / min(1.0, self.max_edge / max(width, height))
        patches = math.ceil(width / edge) * math.ceil(height / edge)
        return math.ceil(min(patches, self.max_patches) * self.factor)


@dataclass(frozen=True)
class Tiles:
    """``base`` tokens, and ``tile`` tokens for each square of 512 pixels after scaling down to 2048 x 768 pixels."""

    base: int
    tile: int

    def __call__(self, width: int, height: int) -> int:
        """Return the tokens of a picture."""
        scale = min(1.0, 2048 / max(width, height))
        scale = min(scale, 768 / min(width, height))
        return self.base + self.tile * math.ceil(width * scale / 512) * math.ceil(height * scale / 512)


def _nova_tokens(width: int, height: int) -> int:
    """Return a token for each 600 pixels, after scaling small pictures up to an edge of 896 pixels."""
    scale = max(1.0, 896 / max(width, height))
    return math.ceil(width * height * scale * scale / 600)


_CLAUDE, _CLAUDE_FROM_4_7 = Patches(28, 1568, 1568), Patches(28, 2576, 4784)
_CLAUDE_VERSION = re.compile(r"claude-(?:[a-z]+-)?(\d+)(?:-(\d{1,2}))?(?!\d)")
_BY_MODEL: tuple[tuple[re.Pattern[str], PictureTokens], ...] = (
    (re.compile(r"nova-"), _nova_tokens),
    (re.compile(r"gpt-4o-mini"), Tiles(2833, 5667)),
    (re.compile(r"gpt-(?:4\.1|5)-mini|gpt-5(?:\.1)?-codex-mini"), Patches(32, 2048, 1536, 1.62)),
    (re.compile(r"gpt-(?:4\.1|5)-nano"), Patches(32, 2048, 1536, 2.46)),
    (re.compile(r"o4-mini"), Patches(32, 2048, 1536, 1.72)),
    (re.compile(r"gpt-5\.[23]"), Patches(32, 2048, 1536, 1.2)),
    (re.compile(r"gpt-5(?:\.1)?(?![.\d])"), Tiles(70, 140)),
    (re.compile(r"gpt-(?:[6-9]|5\.)"), Patches(32, 6000, 10_000, 1.2)),
    (re.compile(r"(?<![a-z])o[13]\b"), Tiles(75, 150)),
    (re.compile(r"gpt-4|chatgpt-"), Tiles(85, 170)),
)


@cache
def picture_tokens(model_id: str) -> PictureTokens:
    """Return the formula of a model. A model without a known formula counts like the newest models of Claude."""
    if version := _CLAUDE_VERSION.search(model_id):
        is_older = (int(version[1]), int(version[2] or 0)) < (4, 7)
        return _CLAUDE if is_older else _CLAUDE_FROM_4_7
    return next((formula for pattern, formula in _BY_MODEL if pattern.search(model_id)), _CLAUDE_FROM_4_7)


def page_tokens(formula: PictureTokens) -> int:
    """Return the tokens of a page of a PDF: providers add its text and a picture of it to the request."""
    return _PAGE_TEXT_TOKENS + formula(*_PAGE)
