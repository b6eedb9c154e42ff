"""Make moto deliver a DynamoDB stream to its Lambda functions as on AWS: in order, once, filtered, in the background.

Patches ``StreamShard.add``. Unpatched moto calls the functions during each write, applies no filters, and passes all
undelivered records to each call. Without the patch, the records of two concurrent writers are delivered twice, those of
a failed transaction are delivered, all records have the same sequence number, a failed function is not retried, and the
records of a stream without a function accumulate. With the patch, the stream's GetRecords operation returns no records.
"""

import datetime as dt
import itertools
import json
import threading
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from moto.awslambda.models import EventSourceMapping
from moto.dynamodb.models.dynamo_type import Item
from moto.dynamodb.models.table import StreamRecord, StreamShard

from local.emulator.aws.moto_patches import dynamodb_transactions
from local.emulator.aws.moto_patches.lambda_invoke import HOST
from local.emulator.aws.moto_patches.patching import replace
from local.emulator.aws.stream_reader import StreamReader

_sequence_numbers = itertools.count(1100000000017454423009)
_readers: dict[str, StreamReader] = {}
_listeners: list[Callable[[str], None]] = []
_lock = threading.Lock()


@cache
def install() -> None:
    """Patch moto so that a table's stream invokes its mapped Lambda functions in the background, as on AWS."""
    replace(StreamShard, "add", _add)


def close(timeout: float) -> None:
    """Stop delivering the records of all DynamoDB streams to Lambda functions.

    Wait up to ``timeout`` seconds for each function that is processing records. The next write to a table starts the
    delivery of its stream again.
    """
    with _lock:
        readers = list(_readers.values())
        _readers.clear()
    for reader in readers:
        reader.close(timeout)


def is_idle() -> bool:
    """Return True if the functions have processed all records of the streams."""
    return all(reader.is_idle for reader in list(_readers.values()))


def set_listener(listener: Callable[[str], None] | None) -> None:
    """Call ``listener`` with the partition key of each written item, in addition to the mapped functions."""
    _listeners[:] = [listener] if listener else []


def _add(self: StreamShard, old: Item | None, new: Item | None) -> None:
    dynamodb_transactions.record(self.table, old, new)
    if self.table.lambda_event_source_mappings:
        dynamodb_transactions.after_commit(lambda: _deliver(self, old, new))


def _deliver(shard: StreamShard, old: Item | None, new: Item | None) -> None:
    with _lock:  # the lock ensures that records reach the readers in sequence number order
        record = _record(shard, old, new)
        for mapping in shard.table.lambda_event_source_mappings.values():
            _reader(mapping).offer(record | {"eventSourceARN": mapping.event_source_arn})
    for listener in _listeners:
        listener(record["dynamodb"]["Keys"]["pk"]["S"])


def _record(shard: StreamShard, old: Item | None, new: Item | None) -> dict[str, Any]:
    specification = shard.table.stream_specification or {}
    event_name = "INSERT" if old is None else "REMOVE" if new is None else "MODIFY"
    view_type = specification["StreamViewType"]
    json_object = StreamRecord(shard.table, view_type, event_name, old, new, next(_sequence_numbers)).to_json()
    record: dict[str, Any] = json.loads(json.dumps(json_object, default=_to_timestamp))
    return record


def _to_timestamp(moment: dt.datetime) -> float:
    return moment.replace(tzinfo=dt.UTC).timestamp()


def _reader(mapping: EventSourceMapping) -> StreamReader:
    if mapping.uuid not in _readers:
        name = mapping.function_arn.split(":")[6]
        _readers[mapping.uuid] = StreamReader(
            partial(HOST.invoke, name, arn=mapping.function_arn),
            filters=[each["Pattern"] for each in (mapping.filter_criteria or {}).get("Filters", [])],
            batch_size=lambda: mapping.batch_size,  # an update of the mapping changes it
            retries=mapping.max_retry_attempts or 0,
        )
    return _readers[mapping.uuid]
