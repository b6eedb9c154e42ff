"""A function that is called again and again."""

from aws_cdk import Duration
from aws_cdk import aws_events as events
from constructs import Construct

from infra.constructs.checks import acknowledge
from infra.constructs.function import PythonFunction
from infra.constructs.lost_events import LostEvents


class Sweep(Construct):
    """Every so many minutes, by a rule. A sweep that fails is not repeated: the next one does what it left."""

    def __init__(self, scope: Construct, id_: str, *, function: PythonFunction, minutes: int, lost: LostEvents) -> None:
        super().__init__(scope, id_)
        function.configure_async_invoke(retry_attempts=0, max_event_age=Duration.minutes(minutes))
        acknowledge(
            function,
            Serverless_LambdaAsyncFailureDestination="the next run does what this one left; an alarm looks at failures",
        )
        events.Rule(
            self,
            "Schedule",
            schedule=events.Schedule.rate(Duration.minutes(minutes)),
            targets=[lost.target(function)],
        )
