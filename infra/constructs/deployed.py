"""What is done once a deployment is complete."""

from aws_cdk import Stack
from aws_cdk import aws_events as events
from constructs import Construct

from infra.constructs.function import PythonFunction
from infra.constructs.lost_events import LostEvents


class Deployed(Construct):
    """Calls a function at the end of each deployment of the stack.

    Not a custom resource: what goes wrong there must not hold up the deployment.
    """

    def __init__(self, scope: Construct, id_: str, *, function: PythonFunction, lost: LostEvents) -> None:
        super().__init__(scope, id_)
        events.Rule(
            self,
            "Rule",
            event_pattern=events.EventPattern(
                source=["aws.cloudformation"],
                detail_type=["CloudFormation Stack Status Change"],
                detail={
                    "stack-id": [Stack.of(self).stack_id],
                    "status-details": {"status": ["CREATE_COMPLETE", "UPDATE_COMPLETE"]},
                },
            ),
            targets=[lost.target(function)],
        )
