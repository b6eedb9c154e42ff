import gc

import boto3
from moto.core.model_instances import model_data
from moto.dynamodb.models.dynamo_type import Item

from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud
from tests.integration.emulator.aws.moto_patches.test_dynamodb_queries import KEYS

REPEATS = 20
ITEM = {"pk": {"S": "p"}, "sk": {"S": "s"}}


def count_items() -> int:
    gc.collect()
    return sum(isinstance(each, Item) for each in gc.get_objects())


def count_tracked() -> int:
    """Return how many objects all classes of moto keep."""
    classes = [model for models in model_data.values() for model in models.values()]
    return sum(len(vars(model)["instances_tracked"]) for model in classes)


def test_items_are_freed_when_writes_replace_them_and_after_scans(cloud: LocalCloud) -> None:
    assert cloud.endpoint_url
    resources.create_table("often-written", KEYS)
    client = boto3.client("dynamodb")
    client.put_item(TableName="often-written", Item=ITEM)
    items, tracked = count_items(), count_tracked()

    for _ in range(REPEATS):
        client.put_item(TableName="often-written", Item=ITEM)
        client.update_item(TableName="often-written", Key=ITEM, UpdateExpression="REMOVE note")
        assert client.scan(TableName="often-written")["Count"] == 1

    assert count_items() < items + REPEATS
    assert count_tracked() == tracked
