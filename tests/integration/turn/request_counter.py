"""Count the requests to AWS of each step of a turn, and how many of them wait for one another."""

import json
import math
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import boto3
import pytest

from local.emulator.runners.context import Handler
from satchel.services import side_by_side

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")

_KB = 1024


class Request(NamedTuple):
    """A request of a step. ``depth`` is its position in the longest chain of requests that wait for one another."""

    step: str
    operation: str
    target: str
    depth: int
    writes: tuple[tuple[str, int], ...]
    """Each written item, by the words of its key, with its write units."""

    @property
    def write_units(self) -> int:
        return sum(units for _, units in self.writes)


@dataclass
class _Chain:
    """The requests that a thread of a step has waited for so far."""

    step: str
    depth: int = 0


@dataclass
class RequestCounter:
    """Records the requests of the wrapped functions. Other requests, such as those of readers, are not recorded."""

    requests: list[Request] = field(default_factory=list)
    _chain: ContextVar[_Chain | None] = field(default_factory=lambda: ContextVar("chain", default=None))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def patched_clients(self) -> Iterator[None]:
        """Record the requests of all clients that are created during the block."""
        boto3.setup_default_session()
        assert boto3.DEFAULT_SESSION is not None
        boto3.DEFAULT_SESSION.events.register("provide-client-params", self._record)
        try:
            with pytest.MonkeyPatch.context() as patch:
                self._follow_threads(patch)
                yield
        finally:
            boto3.setup_default_session()

    def count(self, step: str, work: Callable[[], T]) -> T:
        """Do the work, and record its requests as those of ``step``."""
        token = self._chain.set(_Chain(step))
        try:
            return work()
        finally:
            self._chain.reset(token)

    def handler(self, function: str, handler: Handler, before: Callable[[], None]) -> Handler:
        """Return a handler whose requests are recorded as those of its function and round, or call.

        Call ``before`` first each time.
        """

        def run(event: Any, context: Any) -> object:  # noqa: ANN401  (a payload)
            before()
            step = f"{function} {event['call_id'][-5:] if 'call_id' in event else event.get('round', 0)}"
            return self.count(step, lambda: handler(event, context))

        return run

    def by_step(self) -> Mapping[str, Mapping[str, int]]:
        """Return the number of requests by step and operation. Requests that run side by side are sorted by name."""
        steps: dict[str, Counter[str]] = {}
        for request in sorted(self.requests, key=lambda request: (request.depth, request.operation)):
            steps.setdefault(request.step, Counter())[request.operation] += 1
        return steps

    def depth(self) -> int:
        """Return the number of requests that wait for one another, summed over all steps."""
        return sum(max(r.depth for r in self.requests if r.step == step) for step in self.by_step())

    def write_units(self) -> int:
        """Return the write units that DynamoDB bills for the items. Each KB of an item in a transaction counts twice.

        Not included are the units of the index.
        """
        return sum(request.write_units for request in self.requests)

    def _record(self, params: Mapping[str, Any], model: Any, **_: object) -> None:  # noqa: ANN401  (botocore's)
        chain = self._chain.get()
        if chain is None:
            return
        chain.depth += 1
        with self._lock:
            writes = tuple(_writes(model.name, params))
            self.requests.append(Request(chain.step, model.name, _target(params), chain.depth, writes))

    def _follow_threads(self, patch: pytest.MonkeyPatch) -> None:
        original = side_by_side.start

        def start(work: Callable[[], T]) -> object:
            chain = self._chain.get()
            if chain is None:
                return original(work)
            branch = _Chain(chain.step, chain.depth)

            def run() -> T:
                self._chain.set(branch)
                return work()

            return _Branch(original(run), chain, branch)

        for name, user in list(sys.modules.items()):
            if name.startswith("satchel.") and vars(user).get("start") is original:
                patch.setattr(user, "start", start)


class _Branch:
    """Implements what is used of ``Future``. The chain waits for the requests of the branch when it needs the end."""

    def __init__(self, future: "Future[Any]", chain: _Chain, branch: _Chain) -> None:
        self._future, self._chain, self._branch = future, chain, branch

    def exception(self) -> BaseException | None:
        error = self._future.exception()
        self._chain.depth = max(self._chain.depth, self._branch.depth)
        return error

    def result(self) -> Any:  # noqa: ANN401  (any result)
        self.exception()
        return self._future.result()


def _target(params: Mapping[str, Any]) -> str:
    """Return what a request reads: its key, or the values of its query."""
    return json.dumps(params.get("Key") or params.get("ExpressionAttributeValues"))


def _writes(operation: str, params: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    if operation == "TransactWriteItems":
        yield from ((_name(write), 2 * _units(write)) for each in params["TransactItems"] for write in each.values())
    elif operation in {"PutItem", "UpdateItem", "DeleteItem"}:
        yield _name(params), _units(params)


def _name(write: Mapping[str, Any]) -> str:
    """Return the words of an item's key, for example ``USER SESSION``."""
    key = write.get("Key") or write["Item"]
    return " ".join(key[name]["S"].partition("#")[0] for name in ("pk", "sk"))


def _units(write: Mapping[str, Any]) -> int:
    """Return the units of a write. An update counts the size of its values, because it does not contain the item."""
    content = write.get("Item") or write.get("ExpressionAttributeValues") or {}
    return max(1, math.ceil(len(json.dumps(content)) / _KB))
