"""A function that is called again and again."""

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from constructs import Construct


class Sweep(Construct):
    """Every so many minutes, by a rule. A sweep that fails is not repeated: the next one does what it left."""

    def __init__(self, scope: Construct, id_: str, *, function: lambda_.Function, minutes: int) -> None:
        super().__init__(scope, id_)
        function.configure_async_invoke(retry_attempts=0, max_event_age=Duration.minutes(minutes))
        events.Rule(
            self,
            "Schedule",
            schedule=events.Schedule.rate(Duration.minutes(minutes)),
            targets=[targets.LambdaFunction(function)],
        )
