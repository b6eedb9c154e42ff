"""When servers are asked for their tools, so that nobody waits for a cold one."""

from aws_cdk import Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.constructs.sweep import Sweep
from infra.limits import REFRESH_MINUTES


class ToolRefresh(Construct):
    """At the end of each deployment of the stack, which may have brought other programs, and again and again."""

    def __init__(self, scope: Construct, id_: str, *, function: lambda_.Function) -> None:
        super().__init__(scope, id_)
        Sweep(self, "Due", function=function, minutes=REFRESH_MINUTES)
        # Not a custom resource: a server that does not start must not hold up the deployment.
        events.Rule(
            self,
            "Deployed",
            event_pattern=events.EventPattern(
                source=["aws.cloudformation"],
                detail_type=["CloudFormation Stack Status Change"],
                detail={
                    "stack-id": [Stack.of(self).stack_id],
                    "status-details": {"status": ["CREATE_COMPLETE", "UPDATE_COMPLETE"]},
                },
            ),
            targets=[targets.LambdaFunction(function)],
        )
