"""Which models there are, by name, and who may choose them."""

from collections.abc import Collection
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field

from satchel.domain.budget import LEAST_TOKENS
from satchel.domain.errors import UnknownModel


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
    context_tokens: int | None = Field(default=None, ge=LEAST_TOKENS)

    def is_open_to(self, groups: Collection[str]) -> bool:
        """Tell whether somebody in these groups may choose it."""
        return not self.groups or not set(groups).isdisjoint(self.groups)


@dataclass(frozen=True)
class Models:
    """What a deployment offers. ``default`` is the name of one of them, or a model itself that is open to everybody."""

    default: str = "offline"
    listed: tuple[ModelEntry, ...] = ()
    _by_name: dict[str, ModelEntry] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Put the default first. Raises ValueError for a name that comes twice."""
        named = {entry.name: entry for entry in self.listed}
        if len(named) < len(self.listed):
            raise ValueError("two models have the same name")
        first = named.get(self.default, ModelEntry(name=self.default, model=self.default))
        object.__setattr__(self, "_by_name", {first.name: first, **named})

    @property
    def all(self) -> list[ModelEntry]:
        """Return all of them, the default first."""
        return list(self._by_name.values())

    def open_to(self, groups: Collection[str]) -> list[ModelEntry]:
        """Return those that somebody in these groups may choose; the first is what he gets without choosing."""
        return [entry for entry in self.all if entry.is_open_to(groups)]

    def choose(self, groups: Collection[str], name: str | None) -> ModelEntry:
        """Return the model of this name, or the first one. Raises UnknownModel for one that is not there for them."""
        offered = self.open_to(groups)
        found = [entry for entry in offered if name in {None, entry.name}]
        if not found:
            raise UnknownModel(name, [entry.name for entry in offered])
        return found[0]

    def named(self, name: str) -> ModelEntry:
        """Return the model that a turn began with; the default for one that is not there any more."""
        return self._by_name.get(name) or self.all[0]
