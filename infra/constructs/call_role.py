"""The role behind the credentials of one tool call."""

from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.constructs.checks import acknowledge_wildcards
from infra.constructs.function import PythonFunction
from infra.constructs.grants import ASSUME, TURNS, WRITE_ITEMS, WRITE_OBJECTS, may, statement

_WRITTEN_BY_CALLS = ("*/artifacts/*", "*/deferred/*", TURNS)


class CallRole(iam.Role):
    """The most that any call may do. Dispatch assumes it with a policy that cuts it down to one call."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        dispatch: PythonFunction,
        bucket: s3.IBucket,
        table: dynamodb.ITable,
    ) -> None:
        super().__init__(scope, id_, assumed_by=iam.ArnPrincipal(dispatch.own_role.role_arn))
        objects = [bucket.arn_for_objects(pattern) for pattern in _WRITTEN_BY_CALLS]
        self.add_to_policy(statement(*WRITE_OBJECTS, on=objects))
        acknowledge_wildcards(self, objects, "a session policy cuts it down to the keys of one call, or to nothing")
        self.add_to_policy(
            iam.PolicyStatement(
                actions=["dynamodb:GetItem", *WRITE_ITEMS],
                resources=[table.table_arn],
                conditions={"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["TURN#*"]}},
            )
        )
        may(dispatch, *ASSUME, on=[self.role_arn])
