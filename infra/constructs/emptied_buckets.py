"""Empty buckets before CloudFormation deletes them, because CloudFormation deletes only empty buckets."""

from collections.abc import Sequence
from typing import cast

from aws_cdk import CustomResource, Tags
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.constructs.checks import acknowledge
from infra.constructs.function import PythonFunction
from infra.constructs.grants import DELETE_OBJECTS, INSPECT_BUCKET, allow
from infra.constructs.layers import FunctionLayers
from infra.limits import ERASE_SECONDS
from infra.settings import Settings

_TAG = "satchel:empty-on-delete"


class EmptiedBuckets(Construct):
    """A function that deletes all objects of these buckets when CloudFormation deletes the buckets.

    CDK's own ``auto_delete_objects`` does the same with a function that has its own runtime, log group and role. This
    one follows the rules of all other functions.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        buckets: Sequence[s3.Bucket],
        function_layers: FunctionLayers,
        settings: Settings,
    ) -> None:
        super().__init__(scope, id_)
        self.function = function = PythonFunction(
            self,
            "Empty",
            folder="empty_bucket",
            function_layers=function_layers,
            settings=settings,
            environment={},
            seconds=ERASE_SECONDS,
        )
        acknowledge(
            function, Serverless_LambdaAsyncFailureDestination="without its answer, CloudFormation reports the failure"
        )
        allow(function, *INSPECT_BUCKET, on=[bucket.bucket_arn for bucket in buckets])
        allow(
            function,
            *DELETE_OBJECTS,
            on=[bucket.arn_for_objects("*") for bucket in buckets],
            because="the buckets are deleted with all of their objects",
        )
        for bucket in buckets:
            Tags.of(bucket).add(_TAG, "true")
            resource = CustomResource(
                self,
                bucket.node.id,
                resource_type="Custom::EmptiedBucket",
                service_token=function.function_arn,
                properties={"Bucket": bucket.bucket_name},
            )
            # CloudFormation deletes in reverse order: the objects first, then the permission to delete them.
            resource.node.add_dependency(cast("Construct", function.own_role), bucket)
