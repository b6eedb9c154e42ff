"""What the tests write down: sessions, turns, files and calls with fresh ids, and several people at once."""

import itertools
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from satchel.domain.calls import Call
from satchel.domain.files import FileRecord, NewFile, Source
from satchel.domain.ids import UserName, call_id, new_id
from satchel.domain.object_keys import object_key
from satchel.domain.sessions import Session, Turn

T = TypeVar("T")

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
_ticks = itertools.count()


class TravelClock:
    """Implements ``ports.clock.Clock``: time goes by when a test says so."""

    def __init__(self, now: datetime = START) -> None:
        self._now = now

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return (self._now - START).total_seconds()

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)


def moment() -> datetime:
    """A later time than any before, so that ids are in the order in which they were made."""
    return START + timedelta(milliseconds=next(_ticks))


def fresh(kind: str) -> str:
    return new_id(kind, moment(), os.urandom(10))


def someone() -> str:
    return f"user-{os.urandom(5).hex()}@example.com"


def a_session(user: str, **given: Any) -> Session:  # noqa: ANN401  (fields of the model)
    now = moment()
    wanted = {"session_id": fresh("s"), "user": user, "created_at": now, "last_used_at": now}
    return Session.model_validate(wanted | given)


def a_turn(session: Session, message: str = "hello", **given: Any) -> Turn:  # noqa: ANN401  (fields of the model)
    wanted = {
        "turn_id": fresh("t"),
        "session_id": session.session_id,
        "user": session.user,
        "groups": ["users"],
        "message": message,
        "created_at": moment(),
    }
    return Turn.model_validate(wanted | given)


def a_file(user: str, session_id: str | None, raw_name: str, **given: Any) -> NewFile:  # noqa: ANN401  (fields)
    object_id = given.get("object_id") or fresh("f")
    name = given.get("name", raw_name)
    wanted = {
        "object_id": object_id,
        "key": object_key(UserName(user), "uploads", object_id, name),
        "user": user,
        "session_id": session_id,
        "name": name,
        "raw_name": raw_name,
        "mime": "text/csv",
        "size": 3,
        "source": Source.UPLOADED,
        "origin": object_id,
        "created_at": moment(),
    }
    return NewFile.model_validate(wanted | given)


def a_call(turn: Turn, round_number: int = 0, index: int = 0, **given: Any) -> Call:  # noqa: ANN401  (fields)
    wanted = {
        "call_id": call_id(turn.turn_id, round_number, index),
        "turn_id": turn.turn_id,
        "session_id": turn.session_id,
        "user": turn.user,
        "tool": "report.summarise",
        "arguments": "{}",
        "ref": f"ref-{index}",
        "round": round_number,
        "index": index,
    }
    return Call.model_validate(wanted | given)


def at_once(works: Sequence[Callable[[], T]]) -> list[T | Exception]:
    """Do all of it at the same moment, each in a thread; return what each came to, in order."""
    gate = threading.Barrier(len(works))

    def run(work: Callable[[], T]) -> T | Exception:
        gate.wait()
        try:
            return work()
        except Exception as error:  # noqa: BLE001  (it is what the test asks about)
            return error

    with ThreadPoolExecutor(max_workers=len(works)) as pool:
        return list(pool.map(run, works))


def first(files: Iterator[FileRecord]) -> FileRecord | None:
    """Return the file that is meant by a name."""
    return next(files, None)
