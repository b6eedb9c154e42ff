"""Which models there are, by name, and who may choose them.

Why a model gave no answer, in sentences that a person understands.

ModelError
├── passing: asking again may help
│   ├── ModelThrottled       E_MODEL_THROTTLED     too many requests at its provider
│   ├── ModelUnavailable     E_MODEL_UNAVAILABLE   its provider fails or cannot be reached
│   ├── ModelTimedOut          E_MODEL_TIMEOUT       it said nothing for too long, or took too long altogether
│   ├── ModelCutOff          E_MODEL_CUT_OFF       its answer broke off
│   └── ModelReplyUnreadable         E_MODEL_GARBLED       its answer could not be read
└── lasting: asking again would not
    ├── ContextTooLong       E_CONTEXT_TOO_LONG    the conversation is longer than it can take
    ├── ContentFiltered      E_CONTENT_FILTERED    its provider's filter stopped the question or the answer
    ├── ModelRefused         E_MODEL_REFUSED       it refused to answer
    ├── ModelAccessDenied    E_MODEL_ACCESS        the key or the permission is missing or wrong
    ├── ModelQuotaExceeded      E_MODEL_QUOTA         the account's quota or credit is used up
    ├── ModelNotFound        E_MODEL_NOT_FOUND     its provider has no such model
    └── ModelRequestRejected E_MODEL_REQUEST       its provider did not take the request
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from satchel.domain.errors import UnknownModel
from satchel.domain.token_budget import MIN_CONTEXT_TOKENS


class ModelEntry(BaseModel):
    """A model: ``model`` says which (``bedrock:…``, ``openai-chat:…``), ``name`` is what people choose it by.

    ``groups``: who may choose it; none means everybody. ``context_tokens``: how much it is given at once, where that is
    not what the others are given.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1, max_length=200)
    model: str = Field(min_length=1)
    description: str = ""
    groups: tuple[str, ...] = ()
    context_tokens: int | None = Field(default=None, ge=MIN_CONTEXT_TOKENS)

    def is_visible_to(self, groups: Collection[str]) -> bool:
        """Tell whether somebody in these groups may choose it."""
        return not self.groups or not set(groups).isdisjoint(self.groups)


@dataclass(frozen=True)
class ModelCatalog:
    """What a deployment offers. ``default`` is the name of one of them, or a model itself that is open to everybody."""

    default: str = "offline"
    configured: tuple[ModelEntry, ...] = ()
    _by_name: dict[str, ModelEntry] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Put the default first. Raises ValueError for a name that comes twice."""
        named = {entry.name: entry for entry in self.configured}
        if len(named) < len(self.configured):
            raise ValueError("two models have the same name")
        first = named.get(self.default, ModelEntry(name=self.default, model=self.default))
        object.__setattr__(self, "_by_name", {first.name: first, **named})

    @property
    def all(self) -> list[ModelEntry]:
        """Return all of them, the default first."""
        return list(self._by_name.values())

    def visible_to(self, groups: Collection[str]) -> list[ModelEntry]:
        """Return those that somebody in these groups may choose; the first is what he gets without choosing."""
        return [entry for entry in self.all if entry.is_visible_to(groups)]

    def choose(self, groups: Collection[str], name: str | None) -> ModelEntry:
        """Return the model of this name, or the first one. Raises UnknownModel for one that is not there for them."""
        offered = self.visible_to(groups)
        found = [entry for entry in offered if name in {None, entry.name}]
        if not found:
            raise UnknownModel(name, [entry.name for entry in offered])
        return found[0]

    def get(self, name: str) -> ModelEntry:
        """Return the model that a turn began with; the default for one that is not there any more."""
        return self._by_name.get(name) or self.all[0]


class ModelError(Exception):
    """Base of them. ``said`` are the provider's status and code, for operators; never its words, which may hold ours.

    The class's name is the error's in the state machine; ``passing`` ones are tried again there as well.
    """

    code: ClassVar[str] = "E_MODEL_FAILED"
    user_message: ClassVar[str] = "The model gave no answer. Please try again."
    retryable: ClassVar[bool] = False

    def __init__(self, provider_status: str = "", retry_after: float | None = None) -> None:
        super().__init__(self.user_message)
        self.provider_status = provider_status
        self.retry_after = retry_after
        """Seconds to wait at least, where the provider said so."""


class ModelThrottled(ModelError):
    """Too many requests, or too many tokens, for the moment."""

    code = "E_MODEL_THROTTLED"
    user_message = "The model is asked by too many at the moment. Please try again in a minute."
    retryable = True


class ModelUnavailable(ModelError):
    """The provider answers with a failure of its own, or not at all."""

    code = "E_MODEL_UNAVAILABLE"
    user_message = "The model cannot be reached at the moment. Please try again in a few minutes."
    retryable = True


class ModelTimedOut(ModelError):
    """Nothing came for too long, or no end came in time."""

    code = "E_MODEL_TIMEOUT"
    user_message = "The model took too long to answer. Please try again, perhaps with a smaller question."
    retryable = True


class ModelCutOff(ModelError):
    """The stream ended before the answer did."""

    code = "E_MODEL_CUT_OFF"
    user_message = "The model's answer broke off in the middle, so it is not shown. Please try again."
    retryable = True


class ModelReplyUnreadable(ModelError):
    """What came is not of the provider's format."""

    code = "E_MODEL_GARBLED"
    user_message = "The model's answer could not be read. Please try again."
    retryable = True


class ContextTooLong(ModelError):
    """The conversation and the tools are longer than the model's window."""

    code = "E_CONTEXT_TOO_LONG"
    user_message = "This conversation has become too long for the model. Please go on in a new session."


class ContentFiltered(ModelError):
    """The provider's filter stepped in."""

    code = "E_CONTENT_FILTERED"
    user_message = "The provider's content filter stopped this question or its answer. Please put it in another way."


class ModelRefused(ModelError):
    """The model itself declined."""

    code = "E_MODEL_REFUSED"
    user_message = "The model refused to answer this. Please put it in another way."


class ModelAccessDenied(ModelError):
    """No key, a wrong one, or one without the permission."""

    code = "E_MODEL_ACCESS"
    user_message = (
        "Satchel may not use this model: its key or permission is missing or wrong. Please tell an administrator."
    )


class ModelQuotaExceeded(ModelError):
    """The account's quota, credit or budget is used up."""

    code = "E_MODEL_QUOTA"
    user_message = "What this Satchel may use of the model is used up. Please tell an administrator."


class ModelNotFound(ModelError):
    """The provider does not have it, or not here."""

    code = "E_MODEL_NOT_FOUND"
    user_message = (
        "The model that is set does not exist at its provider. Please choose another or tell an administrator."
    )


class ModelRequestRejected(ModelError):
    """The provider did not take the request, for a reason that is none of the others."""

    code = "E_MODEL_REQUEST"
    user_message = "The model's provider did not accept the request. Please tell an administrator."


def find_model_error(name: str) -> type[ModelError] | None:
    """Return the error of this name, as a state machine tells it."""
    return next((kind for kind in _all(ModelError) if kind.__name__ == name), None)


def _all(kind: type[ModelError]) -> Iterator[type[ModelError]]:
    yield kind
    for more in kind.__subclasses__():
        yield from _all(more)
