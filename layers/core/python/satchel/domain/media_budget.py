"""Choose the pictures and documents that a model request shows: what the model accepts, limits, and token counts.

Everything else is replaced by a note with the name and the reason. docs/models.md names the source of each figure.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from satchel.domain.conversation import AssistantMessage, Message
from satchel.domain.llm import ModelEntry
from satchel.domain.media import MAX_PICTURE_BYTES, MediaRef
from satchel.domain.media_tokens import page_tokens, picture_tokens
from satchel.domain.prompt import sanitize

PICTURE_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""The types of pictures that every provider accepts."""

MAX_MEDIA = 20
"""Maximum pictures and documents in a request: Bedrock counts both. Above 20, Anthropic limits the edges more."""

MAX_PICTURE_EDGE = 2000
"""Maximum width and height of a picture, in pixels. Providers scale larger pictures down to about this size."""

MAX_REQUEST_BYTES = 8 << 20
"""Maximum size of all pictures and documents of a request, because Think holds several copies of them in memory."""

_STEPS = 4
_SHARE = 2  # pictures and documents use at most this part (one half) of the tokens for the conversation
_ATTACHED_SHARE = 2.5  # less than ``_SHARE``, because instructions and tools need a part of the request


@dataclass(frozen=True)
class MediaLimits:
    """A provider's limits for one request."""

    pictures: int = MAX_MEDIA
    documents: int = 5
    document_bytes: int = MAX_REQUEST_BYTES
    document_pages: int = 100


_BEDROCK_LIMITS = (
    (re.compile(r"llama3-2"), MediaLimits(pictures=1)),
    (re.compile(r"llama4"), MediaLimits(pictures=8)),
    (re.compile(r"nova-2-"), MediaLimits(pictures=5, document_bytes=4_500_000)),
    (re.compile(r""), MediaLimits(document_bytes=4_500_000)),
)

_BEDROCK_PICTURES = re.compile(r"claude|nova-(?!micro)|pixtral|llama3-2-(?:11|90)b|llama4|gemma-3")
_BEDROCK_DOCUMENTS = re.compile(r"claude|nova-(?!micro)")
_OPENAI = re.compile(r"gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-[5-9]|o[1345]\b|chatgpt-")


@dataclass(frozen=True)
class MediaSupport:
    """The kinds of content that a model accepts besides text. ``model_id`` decides how many tokens they use."""

    pictures: bool
    documents: bool
    limits: MediaLimits = MediaLimits()
    model_id: str = ""

    @classmethod
    def of(cls, entry: ModelEntry) -> "MediaSupport":
        """Return what a model accepts: as its entry states, otherwise as its id suggests."""
        provider, _, rest = entry.model.partition(":")
        model_id, _, address = rest.partition("@")
        pictures, documents, limits = True, True, MediaLimits()
        if provider == "bedrock":
            pictures, documents = bool(_BEDROCK_PICTURES.search(model_id)), bool(_BEDROCK_DOCUMENTS.search(model_id))
            limits = next(limits for pattern, limits in _BEDROCK_LIMITS if pattern.search(model_id))
        elif provider == "openai-chat":  # other servers than OpenAI's may not know parts of the type "file"
            pictures = _OPENAI.match(model_id) is not None
            documents = pictures and not address
        return cls(
            pictures if entry.vision is None else entry.vision,
            documents if entry.documents is None else entry.documents,
            limits,
            model_id,
        )

    def rejection(self, media: MediaRef) -> str | None:
        """Return why no request to the model can show this picture or document, or None if a request can show it."""
        if media.kind == "document":
            return self._document_rejection(media)
        return self._picture_rejection(media) or _picture_excess(media)

    def is_too_large(self, media: MediaRef) -> bool:
        """Return True if the only reason for the rejection of a picture is its size, in pixels or in bytes."""
        is_rejected = media.kind == "document" or self._picture_rejection(media) is not None
        return not is_rejected and _picture_excess(media) is not None

    def _picture_rejection(self, media: MediaRef) -> str | None:
        """Return why no request can show this picture in any size, or None."""
        if not self.pictures:
            return "the model cannot see pictures"
        if media.mime not in PICTURE_TYPES:
            return f"the type {media.mime} is not supported"
        if media.width is None or media.height is None:
            return "its size in pixels is not known"
        return None

    def _document_rejection(self, media: MediaRef) -> str | None:
        if not self.documents:
            return "the model does not read PDF files"
        if media.pages is None:
            return "its number of pages is not known"
        if media.pages > self.limits.document_pages:
            return f"{media.pages} pages are too many"
        return f"{media.size} bytes are too many" if media.size > self.limits.document_bytes else None

    def tokens(self, media: MediaRef) -> int:
        """Estimate how many tokens of a request an accepted picture or document uses."""
        formula = picture_tokens(self.model_id)
        if media.kind == "document":
            return (media.pages or 1) * page_tokens(formula)
        return formula(media.width or 1, media.height or 1)


def _picture_excess(media: MediaRef) -> str | None:
    """Return which limit a picture exceeds, or None."""
    if max(media.width or 0, media.height or 0) > MAX_PICTURE_EDGE:
        return f"{media.width}x{media.height} pixels are too many"
    return f"{media.size} bytes are too many" if media.size > MAX_PICTURE_BYTES else None


_LEFT_OUT = "newer pictures and documents use up the space"


def max_media_tokens(max_tokens: int) -> int:
    """Return how many of the tokens for the conversation its pictures and documents may use."""
    return max(1, max_tokens // _SHARE)


def max_attached_tokens(context_tokens: int) -> int:
    """Return how many tokens of a request the PDF files that are attached to a message may use."""
    return int(context_tokens / _ATTACHED_SHARE)


def choose_media(media: Sequence[MediaRef], support: MediaSupport, max_tokens: int) -> list[str | None]:
    """Return for each item, oldest first, None if a request shows it, otherwise the reason why it does not.

    If all acceptable items together exceed a limit (number, bytes, or ``max_tokens``), leave out the oldest. The number
    to leave out is rounded up to a quarter of the limit, so that the beginning of the requests of many rounds stays the
    same and the provider can cache it.
    """
    tokens = {item.key: support.tokens(item) for item in media}
    reasons = [
        support.rejection(item) or (_too_many_tokens(tokens[item.key]) if tokens[item.key] > max_tokens else None)
        for item in media
    ]
    measures: list[tuple[Callable[[MediaRef], int], int]] = [
        (lambda item: item.kind == "picture", support.limits.pictures),
        (lambda item: item.kind == "document", support.limits.documents),
        (lambda _: 1, MAX_MEDIA),
        (lambda item: item.size, MAX_REQUEST_BYTES),
        (lambda item: tokens[item.key], max_tokens),
    ]
    for measure, limit in measures:
        for index in _oldest_over(media, reasons, measure, limit):
            reasons[index] = _LEFT_OUT
    return reasons


def _too_many_tokens(tokens: int) -> str:
    return f"it needs about {tokens} tokens, which is more than the space for pictures and documents"


def _oldest_over(
    media: Sequence[MediaRef], reasons: Sequence[str | None], measure: Callable[[MediaRef], int], limit: int
) -> Iterator[int]:
    """Yield the indexes of the oldest shown items, until the sum of ``measure`` over the others is within the limit."""
    shown = [index for index, reason in enumerate(reasons) if reason is None and measure(media[index])]
    excess = sum(measure(media[index]) for index in shown) - limit
    if excess <= 0:
        return
    step = max(1, limit // _STEPS)
    excess = -(-excess // step) * step
    for index in shown:
        if excess <= 0:
            return
        yield index
        excess -= measure(media[index])


def fit_media(messages: Sequence[Message], support: MediaSupport, max_tokens: int) -> list[Message]:
    """Return the messages with only those pictures and documents that a request may show, and notes for the others."""
    media = [item for message in messages for item in media_in(message)]
    if not media:
        return list(messages)
    reasons = iter(choose_media(media, support, max_tokens))
    return [_choose(message, [next(reasons) for _ in media_in(message)], support) for message in messages]


def media_in(message: Message) -> Sequence[MediaRef]:
    """Return the pictures and documents of a message."""
    return () if isinstance(message, AssistantMessage) else message.media


def without_media(message: Message, reasons: Mapping[str, str]) -> Message:
    """Replace the pictures and documents with these S3 keys by notes with the reasons."""
    return _choose(message, [reasons.get(item.key) for item in media_in(message)])


def _choose(message: Message, reasons: Sequence[str | None], support: MediaSupport | None = None) -> Message:
    if not reasons or isinstance(message, AssistantMessage):
        return message
    choices = list(zip(message.media, reasons, strict=True))
    shown = [item for item, reason in choices if reason is None]
    if support is not None:
        shown = [item.model_copy(update={"tokens": support.tokens(item)}) for item in shown]
    notes = [f"{sanitize(item.name)}: {reason}" for item, reason in choices if reason is not None]
    return message.model_copy(update={"media": shown, "not_shown": [*message.not_shown, *notes]})
