"""The tokens of pictures and pages, compared with the figures that the vendors of the models publish."""

import pytest

from satchel.domain.media_tokens import page_tokens, picture_tokens

OLDER_CLAUDE, NEWER_CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-opus-4-7"


@pytest.mark.parametrize(
    ("model", "width", "height", "tokens"),
    [
        (OLDER_CLAUDE, 1000, 1000, 36 * 36),
        (OLDER_CLAUDE, 1075, 1520, 1568),
        (NEWER_CLAUDE, 1075, 1520, 39 * 55),
        (NEWER_CLAUDE, 4000, 3000, 4784),
        ("gpt-4o", 1024, 1024, 765),
        ("gpt-4.1-2025-04-14", 2048, 4096, 1105),
        ("gpt-4o-mini", 1024, 1024, 2833 + 4 * 5667),
        ("gpt-5", 1024, 1024, 70 + 4 * 140),
        ("gpt-5-chat-latest", 1024, 1024, 70 + 4 * 140),
        ("o3", 1024, 1024, 75 + 4 * 150),
        ("o4-mini", 1024, 1024, 1762),
        ("gpt-5-mini", 1024, 1024, 1659),
        ("gpt-5-mini", 4000, 1474, 2489),
        ("gpt-5-nano", 1024, 1024, 2520),
        ("gpt-5.2", 1024, 1024, 1229),
        ("gpt-6-astra", 640, 480, 360),
        ("gpt-5.4", 1280, 720, 1104),
    ],
)
def test_tokens_of_a_picture_are_those_that_the_vendor_publishes(
    model: str, width: int, height: int, tokens: int
) -> None:
    assert picture_tokens(model)(width, height) == tokens


@pytest.mark.parametrize(
    ("model", "is_older"),
    [
        ("claude-3-5-sonnet-20241022", True),
        ("claude-opus-4-20250514", True),
        ("claude-opus-4-1-20250805", True),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", True),
        ("claude-sonnet-4-6", True),
        ("claude-opus-4-8", False),
        ("claude-sonnet-5-5", False),
        ("global.anthropic.claude-opus-5", False),
        ("claude-next", False),
        ("qwen3-vl", False),
        ("offline", False),
    ],
)
def test_claude_before_version_4_7_sees_smaller_pictures(model: str, *, is_older: bool) -> None:
    assert picture_tokens(model)(2000, 2000) == (1568 if is_older else 4784)


@pytest.mark.parametrize(
    ("width", "height", "published"),
    [(900, 450, 800), (900, 900, 1300), (1400, 900, 1800), (1800, 900, 2400), (1300, 1300, 2600), (800, 400, 800)],
)
def test_tokens_of_nova_are_at_most_a_fifth_from_the_examples_of_aws(width: int, height: int, published: int) -> None:
    assert picture_tokens("us.amazon.nova-pro-v1:0")(width, height) == pytest.approx(published, rel=0.2)


@pytest.mark.parametrize("model", [OLDER_CLAUDE, NEWER_CLAUDE, "gpt-4o", "gpt-5-mini", "amazon.nova-lite-v1:0"])
def test_page_counts_as_its_text_and_a_picture(model: str) -> None:
    formula = picture_tokens(model)
    assert page_tokens(formula) == 2_250 + formula(1075, 1520)
