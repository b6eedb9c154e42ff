"""A table's stream reaches the functions mapped to it in order, once and filtered, and no write waits for them.

Patches ``StreamShard.add``. moto calls the functions within the write, unfiltered, with all records that nobody has
taken yet: two writers at a time have theirs delivered twice, all have the same number, a function that fails is never
asked again, and without a mapping the records pile up for ever. With this seam GetRecords finds nothing.
"""

import datetime as dt
import itertools
import json
import threading
from functools import cache, partial
from typing import Any

from moto.awslambda.models import EventSourceMapping
from moto.dynamodb.models.dynamo_type import Item
from moto.dynamodb.models.table import StreamRecord, StreamShard

from local.aws.seams.lambda_invoke import HOST
from local.aws.seams.patching import replace
from local.aws.stream_reader import StreamReader

_numbers = itertools.count(1100000000017454423009)
_readers: dict[str, StreamReader] = {}
_adding = threading.Lock()


@cache
def install() -> None:
    """Patch moto."""
    replace(StreamShard, "add", _add)


def close(timeout: float) -> None:
    """End all readers, each within ``timeout`` seconds; later writes begin new ones."""
    with _adding:
        readers = list(_readers.values())
        _readers.clear()
    for reader in readers:
        reader.close(timeout)


def _add(self: StreamShard, old: Item | None, new: Item | None) -> None:
    mappings = self.table.lambda_event_source_mappings
    if not mappings:
        return
    with _adding:  # one order for numbers and readers
        record = _record(self, old, new)
        for mapping in mappings.values():
            _reader(mapping).offer(record | {"eventSourceARN": mapping.event_source_arn})


def _record(shard: StreamShard, old: Item | None, new: Item | None) -> dict[str, Any]:
    specification = shard.table.stream_specification or {}
    kind = "INSERT" if old is None else "REMOVE" if new is None else "MODIFY"
    made = StreamRecord(shard.table, specification["StreamViewType"], kind, old, new, next(_numbers)).to_json()
    written: dict[str, Any] = json.loads(json.dumps(made, default=_seconds))
    return written


def _seconds(moment: dt.datetime) -> float:
    return moment.replace(tzinfo=dt.UTC).timestamp()


def _reader(mapping: EventSourceMapping) -> StreamReader:
    if mapping.uuid not in _readers:
        name = mapping.function_arn.split(":")[6]
        _readers[mapping.uuid] = StreamReader(
            partial(HOST.invoke, name, arn=mapping.function_arn),
            filters=[each["Pattern"] for each in (mapping.filter_criteria or {}).get("Filters", [])],
            batch_size=mapping.batch_size,
            retries=mapping.max_retry_attempts or 0,
        )
    return _readers[mapping.uuid]
