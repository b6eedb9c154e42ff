"""Reads and writes a DynamoDB table as plain Python values. Failed writes raise ConditionFailed or WriteConflict."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from pydantic import BaseModel

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict, translate_errors, tries
from satchel.adapters.dynamodb.items import Item, Values, decode, encode, encode_value, from_cursor, to_cursor
from satchel.domain.errors import Unavailable
from satchel.ports import Page

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import (
        ConditionCheckTypeDef,
        DeleteTypeDef,
        PutTypeDef,
        QueryInputTypeDef,
        TransactWriteItemTypeDef,
        UpdateTypeDef,
    )

Model = TypeVar("Model", bound=BaseModel)
T = TypeVar("T")

# DynamoDB's maximum number of items per batch read and per batch write
_MAX_BATCH_READS = 100
_MAX_BATCH_WRITES = 25
_MAX_TRIES = 20
_ABSENT = "attribute_not_exists(pk)"
_PRESENT = "attribute_exists(pk)"


class _KeyCondition(TypedDict):
    KeyConditionExpression: str
    ExpressionAttributeValues: dict[str, Any]


@dataclass(frozen=True)
class Query:
    """Parameters of ``Table.query``, which reads items whose sort key begins with ``prefix`` and follows ``after``.

    With ``last``, it reads all items from the sort key ``prefix`` to the sort key ``last`` instead.
    """

    pk: str
    prefix: str = ""
    limit: int = 1000
    after: str | None = None
    newest_first: bool = False
    last: str | None = None


def _key_condition(query: Query) -> "_KeyCondition":
    values = {":pk": query.pk} | ({":prefix": query.prefix} if query.prefix else {})
    if query.last is not None:
        condition, values = "pk = :pk AND sk BETWEEN :prefix AND :last", values | {":last": query.last}
    else:
        condition = "pk = :pk AND begins_with(sk, :prefix)" if query.prefix else "pk = :pk"
    return {"KeyConditionExpression": condition, "ExpressionAttributeValues": encode(values)}


@dataclass(frozen=True)
class Table:
    """Read and write the items of a DynamoDB table by partition key (``pk``) and sort key (``sk``).

    The ``build_*`` methods return a write without running it. ``transact`` runs such writes in one transaction.
    """

    client: "DynamoDBClient"
    name: str

    def get(self, pk: str, sk: str) -> Item | None:
        """Return the item with this key, or None if it does not exist. The read is strongly consistent."""
        response = self.client.get_item(TableName=self.name, Key=encode({"pk": pk, "sk": sk}), ConsistentRead=True)
        return decode(response["Item"]) if "Item" in response else None

    def get_doc(self, pk: str, sk: str, model: type[Model]) -> Model | None:
        """Return the model that an item stores as JSON in its attribute ``doc``, or None if the item does not exist."""
        item = self.get(pk, sk)
        return model.model_validate_json(str(item["doc"])) if item else None

    def get_many(self, keys: Sequence[tuple[str, str]]) -> list[Item]:
        """Return the existing items for any number of distinct keys, unordered. The reads are strongly consistent."""
        items: list[Item] = []
        for start in range(0, len(keys), _MAX_BATCH_READS):
            pending = [encode({"pk": pk, "sk": sk}) for pk, sk in keys[start : start + _MAX_BATCH_READS]]
            while pending:
                request: Any = {self.name: {"Keys": pending, "ConsistentRead": True}}
                response = self.client.batch_get_item(RequestItems=request)
                items += [decode(item) for item in response["Responses"][self.name]]
                pending = list(response["UnprocessedKeys"].get(self.name, {"Keys": []})["Keys"])
        return items

    def put(self, item: Item, *, if_absent: bool = False) -> None:
        """Write an item, replacing any existing one. With ``if_absent``, raise ConditionFailed if the item exists."""
        extra: dict[str, Any] = {"ConditionExpression": _ABSENT} if if_absent else {}
        with translate_errors():
            self.client.put_item(TableName=self.name, Item=encode(item), **extra)

    def put_or_get(self, item: Item) -> Item | None:
        """Write an item and return None. If an item with its key exists, write nothing and return the existing item."""
        try:
            with translate_errors():
                self.client.put_item(
                    TableName=self.name,
                    Item=encode(item),
                    ConditionExpression=_ABSENT,
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
        except ConditionFailed as error:
            return error.existing
        return None

    def insert(self, item: Item) -> bool:
        """Write an item and return True. If an item with its key exists, write nothing and return False."""
        try:
            self.put(item, if_absent=True)
        except ConditionFailed:
            return False
        return True

    def update(
        self, pk: str, sk: str, expression: str, condition: str, values: Values, names: Mapping[str, str] | None = None
    ) -> None:
        """Run an update expression on an item. Raise ConditionFailed if ``condition`` is false."""
        with translate_errors():
            self.client.update_item(**self._update(pk, sk, expression, condition, values, names))

    def delete(self, pk: str, sk: str) -> None:
        """Delete an item, if it exists."""
        self.client.delete_item(TableName=self.name, Key=encode({"pk": pk, "sk": sk}))

    def delete_if(self, pk: str, sk: str, attribute: str, value: str) -> None:
        """Delete an item if its ``attribute`` has this ``value``; otherwise raise ConditionFailed."""
        with translate_errors():
            self.client.delete_item(**self._if_equal(pk, sk, attribute, value))

    def delete_many(self, keys: Sequence[tuple[str, str]]) -> None:
        """Delete the items with these keys (any number), in no particular order. Missing items are ignored."""
        for start in range(0, len(keys), _MAX_BATCH_WRITES):
            batch = keys[start : start + _MAX_BATCH_WRITES]
            pending: Any = [{"DeleteRequest": {"Key": encode({"pk": pk, "sk": sk})}} for pk, sk in batch]
            while pending:
                response = self.client.batch_write_item(RequestItems={self.name: pending})
                pending = response["UnprocessedItems"].get(self.name)

    def pop(self, pk: str, sk: str) -> Item | None:
        """Delete an item and return it, or None if it does not exist. Of concurrent callers, only one gets the item."""
        key = encode({"pk": pk, "sk": sk})
        response = self.client.delete_item(TableName=self.name, Key=key, ReturnValues="ALL_OLD")
        return decode(response["Attributes"]) if "Attributes" in response else None

    def query(self, query: Query) -> tuple[list[Item], str | None]:
        """Return a page of items in sort key order, and the value of ``after`` for the next page (None: last page)."""
        start: Any = {} if query.after is None else {"ExclusiveStartKey": encode({"pk": query.pk, "sk": query.after})}
        response = self.client.query(
            TableName=self.name,
            **_key_condition(query),
            ConsistentRead=True,
            Limit=query.limit,
            ScanIndexForward=not query.newest_first,
            **start,
        )
        last = response.get("LastEvaluatedKey")
        return [decode(item) for item in response["Items"]], str(decode(last)["sk"]) if last else None

    def query_all(self, pk: str, prefix: str) -> list[Item]:
        """Return all items of a partition with this sort key prefix. Use it only if their number is bounded."""
        return list(self.iterate(Query(pk, prefix)))

    def iterate(self, query: Query) -> Iterator[Item]:
        """Yield all items of a query. ``query.limit`` is the page size. Each page is read only when it is needed."""
        while True:
            items, after = self.query(query)
            yield from items
            if after is None:
                return
            query = replace(query, after=after)

    def list_page(self, query: Query, cursor: str | None, parse: Callable[[Item], T]) -> Page[T]:
        """Return the page that follows ``cursor``, its items parsed. Raise InvalidRequest for another list's cursor."""
        items, last = self.query(replace(query, after=from_cursor(cursor, query.prefix)))
        return Page(items=[parse(item) for item in items], cursor=to_cursor(last))

    def query_expired(self, bucket: str, until: int, limit: int) -> list[Item]:
        """Return up to ``limit`` items of an expiry bucket with ``expires_at`` up to ``until``, earliest first."""
        return next(self.iterate_expired(bucket, until, limit))

    def iterate_expired(self, bucket: str, until: int, page_size: int) -> Iterator[list[Item]]:
        """Yield all items of an expiry bucket with ``expires_at`` up to ``until`` in pages, earliest first."""
        request: QueryInputTypeDef = {
            "TableName": self.name,
            "IndexName": "expiry",
            "KeyConditionExpression": "expiry_bucket = :bucket AND expires_at <= :until",
            "ExpressionAttributeValues": encode({":bucket": bucket, ":until": until}),
            "Limit": page_size,
        }
        while True:
            response = self.client.query(**request)
            yield [decode(item) for item in response["Items"]]
            if "LastEvaluatedKey" not in response:
                return
            request["ExclusiveStartKey"] = response["LastEvaluatedKey"]

    def transact(self, writes: Sequence["TransactWriteItemTypeDef"]) -> None:
        """Run all writes or none of them. Raise ConditionFailed with the failed writes' positions, or WriteConflict."""
        with translate_errors():
            self.client.transact_write_items(TransactItems=list(writes))

    def transact_until_done(self, writes: Sequence["TransactWriteItemTypeDef"]) -> None:
        """Run all writes, again after conflicts. Raise ConditionFailed, or Unavailable after too many conflicts."""
        for _ in tries(_MAX_TRIES):
            try:
                self.transact(writes)
            except WriteConflict:
                continue
            return
        raise Unavailable("Other requests are changing the same data; try again.")

    def build_put(self, item: Item, *, if_absent: bool = False) -> "TransactWriteItemTypeDef":
        """Build a write that stores an item. With ``if_absent``, the write fails if the item exists."""
        put: PutTypeDef = {"TableName": self.name, "Item": encode(item)}
        if if_absent:
            put["ConditionExpression"] = _ABSENT
        return {"Put": put}

    def build_put_if(self, item: Item, attribute: str, value: str) -> "TransactWriteItemTypeDef":
        """Build a write that replaces an item. It fails unless the old item's ``attribute`` has this ``value``."""
        return {
            "Put": {
                "TableName": self.name,
                "Item": encode(item),
                "ConditionExpression": "#attribute = :value",
                "ExpressionAttributeNames": {"#attribute": attribute},
                "ExpressionAttributeValues": {":value": {"S": value}},
            }
        }

    def build_update(
        self, pk: str, sk: str, expression: str, condition: str, values: Values, names: Mapping[str, str] | None = None
    ) -> "TransactWriteItemTypeDef":
        """Build a write that runs an update expression on an item. The write fails if ``condition`` is false."""
        return {"Update": self._update(pk, sk, expression, condition, values, names)}

    def build_set(self, pk: str, sk: str, values: Values) -> "TransactWriteItemTypeDef":
        """Build a write that sets attributes of an item, which is created if it is missing."""
        return {
            "Update": {
                "TableName": self.name,
                "Key": encode({"pk": pk, "sk": sk}),
                "UpdateExpression": "SET " + ", ".join(f"#{name} = :{name}" for name in values),
                "ExpressionAttributeNames": {f"#{name}": name for name in values},
                "ExpressionAttributeValues": {f":{name}": encode_value(value) for name, value in values.items()},
            }
        }

    def build_add(self, pk: str, sk: str, counts: Mapping[str, int]) -> "TransactWriteItemTypeDef":
        """Build a write that adds ``counts`` to the counters of an item. A missing counter or item starts at 0."""
        return {
            "Update": {
                "TableName": self.name,
                "Key": encode({"pk": pk, "sk": sk}),
                "UpdateExpression": "ADD " + ", ".join(f"#n{number} :n{number}" for number in range(len(counts))),
                "ExpressionAttributeNames": {f"#n{number}": name for number, name in enumerate(counts)},
                "ExpressionAttributeValues": {
                    f":n{number}": encode_value(count) for number, count in enumerate(counts.values())
                },
            }
        }

    def build_delete(self, pk: str, sk: str, *, if_present: bool = False) -> "TransactWriteItemTypeDef":
        """Build a write that deletes an item. With ``if_present``, the write fails if the item does not exist."""
        delete: DeleteTypeDef = {"TableName": self.name, "Key": encode({"pk": pk, "sk": sk})}
        if if_present:
            delete["ConditionExpression"] = _PRESENT
        return {"Delete": delete}

    def build_delete_if(self, pk: str, sk: str, attribute: str, value: str) -> "TransactWriteItemTypeDef":
        """Build a write that deletes an item. The write fails unless the item's ``attribute`` has this ``value``."""
        return {"Delete": {**self._if_equal(pk, sk, attribute, value)}}

    def build_check(self, pk: str, sk: str, attribute: str, value: str) -> "TransactWriteItemTypeDef":
        """Build a check that fails the transaction unless the item's ``attribute`` has this ``value``."""
        return {"ConditionCheck": self._if_equal(pk, sk, attribute, value)}

    def build_condition(self, pk: str, sk: str, condition: str, values: Values) -> "TransactWriteItemTypeDef":
        """Build a check that fails the transaction if ``condition`` is false for an item, which may be missing."""
        return {
            "ConditionCheck": {
                "TableName": self.name,
                "Key": encode({"pk": pk, "sk": sk}),
                "ConditionExpression": condition,
                "ExpressionAttributeValues": {f":{name}": encode_value(value) for name, value in values.items()},
            }
        }

    def _if_equal(self, pk: str, sk: str, attribute: str, value: str) -> "ConditionCheckTypeDef":
        return {
            "TableName": self.name,
            "Key": encode({"pk": pk, "sk": sk}),
            "ConditionExpression": "#attribute = :value",
            "ExpressionAttributeNames": {"#attribute": attribute},
            "ExpressionAttributeValues": {":value": {"S": value}},
        }

    def _update(
        self, pk: str, sk: str, expression: str, condition: str, values: Values, names: Mapping[str, str] | None
    ) -> "UpdateTypeDef":
        update: UpdateTypeDef = {
            "TableName": self.name,
            "Key": encode({"pk": pk, "sk": sk}),
            "UpdateExpression": expression,
            "ConditionExpression": condition,
            "ExpressionAttributeValues": {f":{name}": encode_value(value) for name, value in values.items()},
        }
        # Omit the parameter if there are no names, because DynamoDB rejects an empty map.
        return {**update, "ExpressionAttributeNames": names} if names else update
