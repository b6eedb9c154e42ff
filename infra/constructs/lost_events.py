"""Where events end up that nobody could deal with."""

from aws_cdk import Duration
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_destinations as destinations
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.constructs.checks import acknowledge

_KEPT = Duration.days(14)
_AGE = Duration.hours(1)
_RETRIES = 2


class LostEvents(Construct):
    """A queue that is empty as long as all is well; an alarm looks at it. It holds ids of people and turns."""

    def __init__(self, scope: Construct, id_: str) -> None:
        super().__init__(scope, id_)
        self.queue = sqs.Queue(
            self, "Queue", enforce_ssl=True, encryption=sqs.QueueEncryption.SQS_MANAGED, retention_period=_KEPT
        )
        last = "it is where events end up that others could not deliver: there is nothing behind it but an alarm"
        acknowledge(self.queue, AwsSolutions_SQS3=last, Serverless_SQSRedrivePolicy=last)

    def catch(self, function: lambda_.Function) -> None:
        """Try what a function is sent twice more within the hour, then keep it here."""
        function.configure_async_invoke(
            retry_attempts=_RETRIES, max_event_age=_AGE, on_failure=destinations.SqsDestination(self.queue)
        )

    def target(self, function: lambda_.IFunction) -> targets.LambdaFunction:
        """Return a rule's target whose events are kept here when they do not even reach the function."""
        return targets.LambdaFunction(function, dead_letter_queue=self.queue, retry_attempts=_RETRIES)
