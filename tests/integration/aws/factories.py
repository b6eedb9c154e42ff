"""Sample users, sessions, turns, files and calls with unique ids, and a runner of concurrent functions."""

import itertools
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from satchel.adapters.dynamodb.file_items import pointer_items, record_item
from satchel.adapters.dynamodb.items import Item, encode
from satchel.adapters.dynamodb.table import Table
from satchel.domain.calls import Call
from satchel.domain.files import FileRecord, NewFile, Source
from satchel.domain.ids import CallId, FileKey, SessionId, TurnId, UserName, call_id, new_id
from satchel.domain.object_keys import object_key
from satchel.domain.sessions import Session, Turn

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import WriteRequestTypeDef

T = TypeVar("T")

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
_milliseconds = itertools.count()
_MAX_BATCH_WRITES = 25


def next_time() -> datetime:
    """Return a later time with each call, so that ids sort in the order of their creation."""
    return START + timedelta(milliseconds=next(_milliseconds))


def random_id(prefix: str) -> str:
    return new_id(prefix, next_time(), os.urandom(10))


def new_user() -> UserName:
    return UserName(f"user-{os.urandom(5).hex()}@example.com")


def new_session_id() -> SessionId:
    return SessionId(random_id("s"))


def new_turn_id() -> TurnId:
    return TurnId(random_id("t"))


def new_call_id() -> CallId:
    return CallId(random_id("c"))


def new_file_key() -> FileKey:
    return FileKey(random_id("f"))


def make_session(user: UserName, **fields: Any) -> Session:  # noqa: ANN401  (fields of the model)
    now = next_time()
    defaults = {"session_id": new_session_id(), "user": user, "created_at": now, "last_used_at": now}
    return Session.model_validate(defaults | fields)


def make_turn(session: Session, message: str = "hello", **fields: Any) -> Turn:  # noqa: ANN401  (fields of the model)
    defaults = {
        "turn_id": new_turn_id(),
        "session_id": session.session_id,
        "user": session.user,
        "groups": ["users"],
        "message": message,
        "created_at": next_time(),
    }
    return Turn.model_validate(defaults | fields)


def make_file(
    user: UserName,
    session_id: SessionId | None,
    raw_name: str,
    **fields: Any,  # noqa: ANN401  (fields of the model)
) -> NewFile:
    object_id = fields.get("object_id") or new_file_key()
    name = fields.get("name", raw_name)
    defaults = {
        "object_id": object_id,
        "key": object_key(user, "uploads", object_id, name),
        "user": user,
        "session_id": session_id,
        "name": name,
        "raw_name": raw_name,
        "mime": "text/csv",
        "size": 3,
        "source": Source.UPLOADED,
        "origin": object_id,
        "created_at": next_time(),
    }
    return NewFile.model_validate(defaults | fields)


def make_call(turn: Turn, round_number: int = 0, index: int = 0, **fields: Any) -> Call:  # noqa: ANN401  (fields)
    defaults = {
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
    return Call.model_validate(defaults | fields)


def store_many_files(table: Table, count: int, *, with_pointers: bool) -> UserName:
    """Write many files of one session in batches, faster than ``DynamoFiles.save``, and return their new owner.

    Each file is named by its number; every hundredth has the category ``report``. Without pointers, only the list of
    all files contains them.
    """
    user, session_id = new_user(), new_session_id()
    items: list[Item] = []
    for number in range(count):
        new = make_file(user, session_id, f"{number:05d}.csv", category=None if number % 100 else "report")
        record = FileRecord(**new.model_dump(), file_key=new.object_id)
        items += [record_item(record), *(pointer_items(record) if with_pointers else [])]
    for start in range(0, len(items), _MAX_BATCH_WRITES):
        puts: list[WriteRequestTypeDef] = [
            {"PutRequest": {"Item": encode(item)}} for item in items[start : start + _MAX_BATCH_WRITES]
        ]
        table.client.batch_write_item(RequestItems={table.name: puts})
    return user


def run_concurrently(functions: Sequence[Callable[[], T]]) -> list[T | Exception]:
    """Call all functions at the same moment, each in a thread. Return each one's result or exception, in order."""
    barrier = threading.Barrier(len(functions))

    def run(function: Callable[[], T]) -> T | Exception:
        barrier.wait()
        try:
            return function()
        except Exception as error:  # noqa: BLE001  (the test checks it)
            return error

    with ThreadPoolExecutor(max_workers=len(functions)) as pool:
        return list(pool.map(run, functions))


def first_file(files: Iterator[FileRecord]) -> FileRecord | None:
    return next(files, None)
