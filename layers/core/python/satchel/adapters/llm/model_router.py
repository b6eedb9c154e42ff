"""The models that can be asked, by name."""

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, cast

from satchel.adapters.llm import providers
from satchel.domain.conversation import CompletionRequest, ModelReply
from satchel.ports.llm import Model, StreamListener

if TYPE_CHECKING:
    from satchel.adapters.llm.connection import Provider

OFFLINE = "offline"
_NAME = re.compile(r"(?P<provider>[a-z-]+):(?P<model_id>.+?)(?:@(?P<address>https?://\S+))?")


@dataclass(frozen=True)
class Name:
    """``provider:model``, or ``provider:model@https://address`` where it is not served at the usual address."""

    provider: str
    model_id: str
    address: str | None = None

    @classmethod
    def parse(cls, name: str) -> "Name":
        """Read the name of a model. Raises ValueError for one that nobody knows how to ask."""
        found = _NAME.fullmatch(name)
        if not found or found["provider"] not in known_providers():
            known = ", ".join(f"'{one}:…'" for one in known_providers())
            raise ValueError(f"the model {name!r} is not known; it is {OFFLINE!r} or one of {known}")
        return cls(**found.groupdict())


def check_name(name: str) -> None:
    """Raise ValueError for the name of a model that nobody knows how to ask."""
    if name != OFFLINE:
        Name.parse(name)


@dataclass(frozen=True)
class ModelRouter:
    """Implements ``ports.model.Model``: each question goes to the model that it names, made when it is first asked."""

    make: Callable[[str], Model]
    _made: dict[str, Model] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def reply(self, task: CompletionRequest, heard: StreamListener) -> ModelReply:
        """Ask the model that the question names."""
        return self.ready(task.model).reply(task, heard)

    def ready(self, name: str) -> Model:
        """Return the model of this name. Raises ValueError, ModelError."""
        with self._lock:
            if name not in self._made:
                self._made[name] = self.make(name)
            return self._made[name]


def known_providers() -> list[str]:
    """Return what the name of a model may begin with (before the colon)."""
    return sorted(found.name.replace("_", "-") for found in iter_modules(providers.__path__))


def provider_of(prefix: str) -> "Provider":
    """Import a provider's file and return it."""
    return cast("Provider", import_module(f"{providers.__name__}.{prefix.replace('-', '_')}"))
