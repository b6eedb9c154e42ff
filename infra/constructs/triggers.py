"""Triggers of functions: schedules, deployments and the table's stream. All of them share a dead-letter queue."""

import json

from aws_cdk import Duration, Stack
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_destinations as destinations
from aws_cdk import aws_lambda_event_sources as event_sources
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra import sources
from infra.constructs.checks import acknowledge
from infra.constructs.function import PythonFunction
from infra.constructs.grants import LIST_STREAMS, READ_STREAM, allow
from infra.limits import PAGE_CHECK_MINUTES, REFRESH_MINUTES

_RETENTION = Duration.days(14)
_MAX_EVENT_AGE = Duration.hours(1)
_RETRIES = 2


class DeadLetters(Construct):
    """The queue for events that could not be delivered or processed. Its messages contain personal data: user ids."""

    def __init__(self, scope: Construct, id_: str) -> None:
        super().__init__(scope, id_)
        self.queue = sqs.Queue(
            self, "Queue", enforce_ssl=True, encryption=sqs.QueueEncryption.SQS_MANAGED, retention_period=_RETENTION
        )
        reason = "it is itself the dead-letter queue of the other event sources, and an alarm watches it"
        acknowledge(self.queue, AwsSolutions_SQS3=reason, Serverless_SQSRedrivePolicy=reason)

    def retry_then_keep(self, function: lambda_.Function) -> None:
        """Retry a function's failed asynchronous invocations twice within an hour, then send the event to the queue."""
        function.configure_async_invoke(
            retry_attempts=_RETRIES, max_event_age=_MAX_EVENT_AGE, on_failure=destinations.SqsDestination(self.queue)
        )

    def rule_target(self, function: lambda_.IFunction) -> targets.LambdaFunction:
        """Return an EventBridge target that invokes the function. If invocations fail, the queue gets the event."""
        return targets.LambdaFunction(function, dead_letter_queue=self.queue, retry_attempts=_RETRIES)


class Schedule(Construct):
    """A rule that invokes a function at an interval. Failed runs are not retried: the next run does their work."""

    def __init__(
        self, scope: Construct, id_: str, *, function: PythonFunction, minutes: int, dead_letters: DeadLetters
    ) -> None:
        super().__init__(scope, id_)
        function.configure_async_invoke(retry_attempts=0, max_event_age=Duration.minutes(minutes))
        acknowledge(
            function,
            Serverless_LambdaAsyncFailureDestination="the next run does the work of a failed one; an alarm watches it",
        )
        events.Rule(
            self,
            "Schedule",
            schedule=events.Schedule.rate(Duration.minutes(minutes)),
            targets=[dead_letters.rule_target(function)],
        )


class DeploymentTrigger(Construct):
    """A rule that invokes a function at the end of each deployment of the stack.

    The trigger is not a CDK custom resource, because a failure of the function must not fail the deployment.
    """

    def __init__(self, scope: Construct, id_: str, *, function: PythonFunction, dead_letters: DeadLetters) -> None:
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
            targets=[dead_letters.rule_target(function)],
        )


class PagePublication(Construct):
    """Invokes the function that publishes the page: after each deployment, and at an interval to check the page.

    The interval is necessary, because a rule that was just created may miss the event of the deployment's end.
    """

    def __init__(self, scope: Construct, id_: str, *, function: PythonFunction, dead_letters: DeadLetters) -> None:
        super().__init__(scope, id_)
        dead_letters.retry_then_keep(function)
        DeploymentTrigger(self, "Deployed", function=function, dead_letters=dead_letters)
        events.Rule(
            self,
            "Check",
            schedule=events.Schedule.rate(Duration.minutes(PAGE_CHECK_MINUTES)),
            targets=[dead_letters.rule_target(function)],
        )


class ToolRefresh(Construct):
    """Invokes the function that lists the tools of MCP servers, at an interval and after each deployment.

    A deployment may change the tools. Listing them in advance spares users the wait until a server has started.
    """

    def __init__(self, scope: Construct, id_: str, *, function: PythonFunction, dead_letters: DeadLetters) -> None:
        super().__init__(scope, id_)
        Schedule(self, "Due", function=function, minutes=REFRESH_MINUTES, dead_letters=dead_letters)
        DeploymentTrigger(self, "Deployed", function=function, dead_letters=dead_letters)


class TurnStream(Construct):
    """Invokes the push function for records of the table's stream. ``definitions/stream.json`` has the parameters.

    If a batch still fails after all retries, the dead-letter queue gets the batch. Clients receive its events later:
    the cursors (read positions) of their connections did not move, so the next push or connection delivers the events.
    """

    def __init__(
        self, scope: Construct, id_: str, *, table: dynamodb.ITable, push: PythonFunction, dead_letters: DeadLetters
    ) -> None:
        super().__init__(scope, id_)
        definition = sources.load_definition("stream")
        if table.table_stream_arn is None:
            raise ValueError("the table has no stream")
        allow(push, *READ_STREAM, on=[table.table_stream_arn])
        allow(push, *LIST_STREAMS, on=[f"{table.table_arn}/stream/*"], because="ListStreams applies to all streams")
        lambda_.EventSourceMapping(
            self,
            "Source",
            target=push,
            event_source_arn=table.table_stream_arn,
            starting_position=lambda_.StartingPosition(definition["StartingPosition"]),
            batch_size=definition["BatchSize"],
            max_batching_window=Duration.seconds(definition["MaximumBatchingWindowInSeconds"]),
            # Parallel batches never contain records of the same partition key, so the events of a turn stay in order.
            parallelization_factor=definition["ParallelizationFactor"],
            retry_attempts=definition["MaximumRetryAttempts"],
            max_record_age=Duration.seconds(definition["MaximumRecordAgeInSeconds"]),
            bisect_batch_on_error=definition["BisectBatchOnFunctionError"],
            report_batch_item_failures="ReportBatchItemFailures" in definition["FunctionResponseTypes"],
            filters=[
                lambda_.FilterCriteria.filter(json.loads(each["Pattern"]))
                for each in definition["FilterCriteria"]["Filters"]
            ],
            on_failure=event_sources.SqsDlq(dead_letters.queue),
        )
