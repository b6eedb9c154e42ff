"""Parses model names, and sends each request to the model that the request names."""

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, cast

from satchel.adapters.llm import providers
from satchel.domain.conversation import CompletionRequest, ModelReply
from satchel.domain.llm import OFFLINE
from satchel.ports.llm import Model, StreamListener

if TYPE_CHECKING:
    from satchel.adapters.llm.connection import Provider

_NAME = re.compile(r"(?P<provider>[a-z-]+):(?P<model_id>.+?)(?:@(?P<address>https?://\S+))?")


@dataclass(frozen=True)
class ModelName:
    """Parsed model name: ``provider:model_id``, or ``provider:model_id@https://address`` for a custom address."""

    provider: str
    model_id: str
    address: str | None = None

    @classmethod
    def parse(cls, name: str) -> "ModelName":
        """Parse a model name. Raise ValueError if it is malformed or its provider is unknown."""
        match = _NAME.fullmatch(name)
        if not match or match["provider"] not in known_providers():
            known = ", ".join(f"'{provider}:…'" for provider in known_providers())
            raise ValueError(f"unknown model {name!r}: use {OFFLINE!r} or one of {known}")
        return cls(**match.groupdict())


def check_model_name(name: str) -> None:
    """Raise ValueError if the name is neither ``offline`` nor a valid model name."""
    if name != OFFLINE:
        ModelName.parse(name)


@dataclass(frozen=True)
class ModelRouter:
    """Sends each request to the model that the request names. Implements ``ports.llm.Model``."""

    create: Callable[[str], Model]
    _models: dict[str, Model] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def reply(self, request: CompletionRequest, listener: StreamListener) -> ModelReply:
        return self.get(request.model).reply(request, listener)

    def get(self, name: str) -> Model:
        """Return the model, created on first use. Raise ValueError (invalid name) or ModelError (missing API key)."""
        with self._lock:
            if name not in self._models:
                self._models[name] = self.create(name)
            return self._models[name]


def known_providers() -> list[str]:
    """Return the provider prefixes that model names can have: one for each module in ``providers``."""
    return sorted(module.name.replace("_", "-") for module in iter_modules(providers.__path__))


def load_provider(prefix: str) -> "Provider":
    """Import and return the module in ``providers`` for a model name's prefix, such as ``openai-chat``."""
    return cast("Provider", import_module(f"{providers.__name__}.{prefix.replace('-', '_')}"))
