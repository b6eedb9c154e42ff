"""What the rules look at: a tool's output, opened, with the place of everything in it."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from satchel.contract.shapes.call_result import ABSENT

_PLAIN_KEY = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True)
class Node:
    """A value of the output and its JSON path."""

    where: str
    value: Any = field(repr=False)

    @property
    def is_object(self) -> bool:
        """Tell whether it is an object, be it an empty one."""
        return isinstance(self.value, Mapping)

    @property
    def fields(self) -> Mapping[str, Any]:
        """Return the fields of an object; anything else has none."""
        return self.value if isinstance(self.value, Mapping) else {}

    def get(self, key: str) -> Self | None:
        """Return a field; None where it is not there or null, which counts as not given."""
        value = self.fields.get(key)
        return None if value is None else type(self)(self.where + step(key), value)

    def text(self, key: str) -> str | None:
        """Return a field that is a text."""
        value = self.fields.get(key)
        return value if isinstance(value, str) else None

    def items(self) -> list[Self]:
        """Return the items of a list; anything else has none."""
        values = self.value if isinstance(self.value, list | tuple) else []
        return [type(self)(f"{self.where}[{index}]", value) for index, value in enumerate(values)]

    def list_of(self, key: str) -> list[Self]:
        """Return the items of a field that is a list."""
        found = self.get(key)
        return found.items() if found else []

    def children(self) -> list[Self]:
        """Return the items of a list, or the values of an object."""
        return self.items() or [type(self)(self.where + step(str(key)), value) for key, value in self.fields.items()]


def step(key: str) -> str:
    """Write a key as a step of a JSON path."""
    return f".{key}" if _PLAIN_KEY.fullmatch(key) else f"[{json.dumps(key)}]"


@dataclass(frozen=True)
class Run:
    """How the output came about. ``home`` and ``silent_seconds`` are known only where the tool itself was called.

    ``user`` is who it was called for (None: anybody); ``silent_seconds`` its longest silence.
    """

    user: str | None = None
    home: Path | None = None
    silent_seconds: float = 0.0


@dataclass(frozen=True)
class Subject:
    """An output. ``payload`` is what the tool returned (ABSENT: nothing); ``objects`` are where contract fields stand.

    Those are the payload, if it speaks the contract, and the result around it, for the fields of spec 5. ``blocks`` are
    the content blocks, ``names`` those of all files that come of the output, ``failure`` what a server said that
    marked its answer as an error, ``ignored`` each ``data`` that differs from the structured content.
    """

    payload: Node
    objects: Sequence[Node] = ()
    blocks: Sequence[Node] = ()
    names: frozenset[str] = frozenset()
    failure: str | None = None
    ignored: Sequence[Node] = ()
    run: Run = Run()

    @property
    def results(self) -> Node | None:
        """Return the results: the field, or the whole payload of a tool that returns nothing else."""
        if "results" in self.payload.fields:
            return self.payload.get("results")
        speaks = any(node.value is self.payload.value for node in self.objects)
        return None if speaks or self.payload.value is ABSENT else self.payload

    @property
    def artifacts(self) -> list[Node]:
        """Return all items of ``artifacts`` that are objects."""
        return self._files("artifacts")

    @property
    def deferred(self) -> list[Node]:
        """Return all items of ``deferred_artifacts`` that are objects."""
        return self._files("deferred_artifacts")

    def given(self, *path: str) -> list[Node]:
        """Return the field at ``path`` of every object that has it."""
        nodes: list[Node] = list(self.objects)
        for key in path:
            nodes = [found for node in nodes if (found := node.get(key))]
        return nodes

    def _files(self, key: str) -> list[Node]:
        lists = self.given(key)
        return [item for node in lists for item in ([node] if node.is_object else node.items()) if item.is_object]
