"""The language models of a deployment and the errors of model requests.

ModelError
├── retryable
│   ├── ModelThrottled        E_MODEL_THROTTLED     too many requests or tokens at the moment
│   ├── ModelUnavailable      E_MODEL_UNAVAILABLE   the provider fails or cannot be reached
│   ├── ModelTimedOut         E_MODEL_TIMEOUT       the model sent no text for too long, or did not finish in time
│   ├── ModelCutOff           E_MODEL_CUT_OFF       the stream ended before the answer did
│   └── ModelReplyUnreadable  E_MODEL_GARBLED       the response is not in the provider's format
└── not retryable
    ├── ContextTooLong        E_CONTEXT_TOO_LONG    the conversation exceeds the model's context window
    ├── ContentFiltered       E_CONTENT_FILTERED    the provider's filter blocked the question or the answer
    ├── ModelRefused          E_MODEL_REFUSED       the model declined to answer
    ├── ModelAccessDenied     E_MODEL_ACCESS        the API key or permission is missing or wrong
    ├── ModelQuotaExceeded    E_MODEL_QUOTA         the account's quota or credit is used up
    ├── ModelNotFound         E_MODEL_NOT_FOUND     the provider does not have the model
    └── ModelRequestRejected  E_MODEL_REQUEST       the provider rejected the request for another reason
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from satchel.domain.conversation import ThinkingLevel
from satchel.domain.errors import UnknownModel
from satchel.domain.token_budget import MIN_CONTEXT_TOKENS

OFFLINE = "offline"
"""Name of the built-in model, which needs no provider. It calls the tools that a message names."""


class ModelEntry(BaseModel):
    """A model that users choose by ``name``. ``model`` is its provider and id (``bedrock:…``, ``openai-chat:…``).

    Only users in one of ``groups`` may choose it (empty: all users). ``context_tokens`` overrides the default limit.
    ``vision`` and ``documents`` say if the model accepts pictures and PDF files (None: as its id suggests).
    ``thinking`` is how much it reasons before it answers (None: as its provider chooses).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1, max_length=200)
    model: str = Field(min_length=1)
    description: str = ""
    groups: tuple[str, ...] = ()
    context_tokens: int | None = Field(default=None, ge=MIN_CONTEXT_TOKENS)
    vision: bool | None = None
    documents: bool | None = None
    thinking: ThinkingLevel | None = None

    def is_visible_to(self, groups: Collection[str]) -> bool:
        """Return True if a user in these groups may choose the model."""
        return not self.groups or not set(groups).isdisjoint(self.groups)


@dataclass(frozen=True)
class ModelCatalog:
    """The models of a deployment. ``default`` is a name in ``configured``, or a model id that all users may use."""

    default: str = OFFLINE
    configured: tuple[ModelEntry, ...] = ()
    _by_name: dict[str, ModelEntry] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Put the default model first. Raise ValueError if two models have the same name."""
        by_name = {entry.name: entry for entry in self.configured}
        if len(by_name) < len(self.configured):
            raise ValueError("two models have the same name")
        first = by_name.get(self.default, ModelEntry(name=self.default, model=self.default))
        object.__setattr__(self, "_by_name", {first.name: first, **by_name})

    @property
    def all(self) -> list[ModelEntry]:
        """Return all models, starting with the default model."""
        return list(self._by_name.values())

    def visible_to(self, groups: Collection[str]) -> list[ModelEntry]:
        """Return the models that a user in these groups may choose. The first one is the user's default."""
        return [entry for entry in self.all if entry.is_visible_to(groups)]

    def choose(self, groups: Collection[str], name: str | None) -> ModelEntry:
        """Return the model with this name (None: the default). Raise UnknownModel if these groups may not choose it."""
        visible = self.visible_to(groups)
        found = [entry for entry in visible if name in {None, entry.name}]
        if not found:
            raise UnknownModel(name, [entry.name for entry in visible])
        return found[0]

    def get(self, name: str) -> ModelEntry:
        """Return the model with this name, or the default if the model was removed after a turn started with it."""
        return self._by_name.get(name) or self.all[0]


class ModelError(Exception):
    """A failed model request. ``user_message`` is shown to the user.

    The state machine identifies an error by its class name, and repeats a request after a ``retryable`` error.
    ``provider_status`` (status and code) is for operators. It omits the provider's message, which may quote the user.
    ``retry_after`` is the minimum delay before the next request, in seconds, if the provider sets one.
    """

    code: ClassVar[str] = "E_MODEL_FAILED"
    user_message: ClassVar[str] = "The model gave no answer. Please try again."
    retryable: ClassVar[bool] = False

    def __init_subclass__(cls, *, code: str, retryable: bool = False) -> None:
        """Set ``code`` and ``retryable`` of a subclass from the arguments in its class statement."""
        cls.code, cls.retryable = code, retryable

    @property
    def is_repeatable(self) -> bool:
        """Return True if another request may succeed in time: the error is retryable and took little time."""
        return self.retryable

    def __init__(self, provider_status: str = "", retry_after: float | None = None) -> None:
        super().__init__(self.user_message)
        self.provider_status = provider_status
        self.retry_after = retry_after


class ModelThrottled(ModelError, code="E_MODEL_THROTTLED", retryable=True):
    """The provider rejected the request, because it currently gets too many requests or tokens."""

    user_message = "The model has too many requests at the moment. Please try again in a minute."


class ModelUnavailable(ModelError, code="E_MODEL_UNAVAILABLE", retryable=True):
    """The provider reports a failure or cannot be reached."""

    user_message = "The model cannot be reached at the moment. Please try again in a few minutes."


class ModelTimedOut(ModelError, code="E_MODEL_TIMEOUT", retryable=True):
    """The model sent no text for too long, or did not finish its answer in time."""

    user_message = "The model took too long to answer. Please try again, perhaps with a smaller question."
    is_repeatable = False


class ModelCutOff(ModelError, code="E_MODEL_CUT_OFF", retryable=True):
    """The response stream ended before the answer was complete."""

    user_message = "The model's answer broke off in the middle. Please try again."


class ModelReplyUnreadable(ModelError, code="E_MODEL_GARBLED", retryable=True):
    """The provider's response does not have the expected format."""

    user_message = "The model's answer could not be read. Please try again."


class ContextTooLong(ModelError, code="E_CONTEXT_TOO_LONG"):
    """The conversation exceeds the model's context window."""

    user_message = "This conversation is too long for the model. Please start a new session."


class ContentFiltered(ModelError, code="E_CONTENT_FILTERED"):
    """The provider's filter blocked the question or the answer."""

    user_message = "The provider's content filter blocked this question or its answer. Please rephrase it."


class ModelRefused(ModelError, code="E_MODEL_REFUSED"):
    """The model declined to answer."""

    user_message = "The model refused to answer this. Please rephrase it."


class ModelAccessDenied(ModelError, code="E_MODEL_ACCESS"):
    """The API key for the model, or the permission to use it, is missing or wrong."""

    user_message = (
        "Satchel may not use this model: its key or permission is missing or wrong. Please tell an administrator."
    )


class ModelQuotaExceeded(ModelError, code="E_MODEL_QUOTA"):
    """The quota or credit of the account at the model provider is used up."""

    user_message = "The quota for this model is used up. Please tell an administrator."


class ModelNotFound(ModelError, code="E_MODEL_NOT_FOUND"):
    """The provider does not have the configured model."""

    user_message = "The provider does not have the configured model. Please choose another or tell an administrator."


class ModelRequestRejected(ModelError, code="E_MODEL_REQUEST"):
    """The provider rejected the request for a reason that no other ``ModelError`` covers."""

    user_message = "The model's provider did not accept the request. Please tell an administrator."


def find_model_error(name: str) -> type[ModelError] | None:
    """Return the ``ModelError`` class with this name, or None. The state machine reports errors by class name."""
    kinds: list[type[ModelError]] = [ModelError, *ModelError.__subclasses__()]
    return next((kind for kind in kinds if kind.__name__ == name), None)
