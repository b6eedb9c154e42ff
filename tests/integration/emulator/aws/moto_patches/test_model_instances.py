import gc

import boto3
from moto.core.model_instances import model_data
from moto.dynamodb.models.dynamo_type import Item

from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud
from tests.integration.emulator.aws.moto_patches.test_dynamodb_queries import KEYS

READS = 20


def count_items() -> int:
    gc.collect()
    return sum(isinstance(each, Item) for each in gc.get_objects())


def count_tracked() -> int:
    """Return how many objects all classes of moto keep."""
    classes = [model for models in model_data.values() for model in models.values()]
    return sum(len(vars(model)["instances_tracked"]) for model in classes)


def test_items_that_queries_read_are_freed_afterwards(cloud: LocalCloud) -> None:
    assert cloud.endpoint_url
    resources.create_table("often-read", KEYS)
    client = boto3.client("dynamodb")
    client.put_item(TableName="often-read", Item={"pk": {"S": "p"}, "sk": {"S": "s"}})
    items, tracked = count_items(), count_tracked()

    for _ in range(READS):
        read = client.query(
            TableName="often-read",
            KeyConditionExpression="pk = :p",
            ExpressionAttributeValues={":p": {"S": "p"}},
        )
        assert read["Count"] == 1

    assert count_items() < items + READS
    assert count_tracked() == tracked
