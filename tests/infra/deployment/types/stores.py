"""What belongs to secrets, buckets and queues."""

import json

from tests.infra.deployment.types.kind import Client, Kind, Made, Properties


def _secret(properties: Properties, name: str, client: Client) -> Made:
    secrets = client("secretsmanager")
    text = properties.get("SecretString")
    if asked := properties.get("GenerateSecretString"):
        made = secrets.get_random_password(
            PasswordLength=int(asked.get("PasswordLength", 32)),
            ExcludePunctuation=asked.get("ExcludePunctuation", False),
        )["RandomPassword"]
        frame = json.loads(asked["SecretStringTemplate"]) if "SecretStringTemplate" in asked else None
        text = made if frame is None else json.dumps({**frame, asked["GenerateStringKey"]: made})
    arn = secrets.create_secret(Name=properties.get("Name", name), SecretString=text)["ARN"]
    return Made(arn, {"Id": arn})


def _rotation(properties: Properties, _name: str, client: Client) -> Made:
    """Say who rotates, and rotate as AWS does at once; no function runs yet, so this time nothing happens."""
    secret = properties["SecretId"]
    rules = {key: int(value) for key, value in properties["RotationRules"].items()}
    client("secretsmanager").rotate_secret(
        SecretId=secret,
        RotationLambdaARN=properties["RotationLambdaARN"],
        RotationRules=rules,
        RotateImmediately=False,
    )
    return Made(secret)


def _bucket_policy(properties: Properties, _name: str, client: Client) -> Made:
    """Leave out denials with a condition: moto looks at no condition and would refuse every request."""
    policy = properties["PolicyDocument"]
    kept = [each for each in policy["Statement"] if each["Effect"] == "Allow" or "Condition" not in each]
    if kept:
        document = json.dumps({**policy, "Statement": kept})
        client("s3").put_bucket_policy(Bucket=properties["Bucket"], Policy=document)
    return Made(properties["Bucket"])


def _queue_policy(properties: Properties, name: str, client: Client) -> Made:
    document = {"Policy": json.dumps(properties["PolicyDocument"])}
    for queue in properties["Queues"]:
        client("sqs").set_queue_attributes(QueueUrl=queue, Attributes=document)
    return Made(name, {"Id": name})


KINDS = (
    Kind("AWS::SecretsManager::Secret", _secret, ("Id",)),
    Kind("AWS::SecretsManager::RotationSchedule", _rotation),
    Kind("AWS::S3::BucketPolicy", _bucket_policy),
    Kind("AWS::SQS::QueuePolicy", _queue_policy, ("Id",)),
)
