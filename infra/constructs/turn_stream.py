"""The table's stream, as far as it tells of turns, to the function that pushes events."""

import json

from aws_cdk import Duration
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as event_sources
from constructs import Construct

from infra import sources
from infra.constructs.function import PythonFunction
from infra.constructs.grants import LIST_STREAMS, READ_STREAM, may
from infra.constructs.lost_events import LostEvents


class TurnStream(Construct):
    """Made of ``definitions/stream.json``, as is the local one. What nobody could push is noted among what is lost.

    Nothing is lost by that: cursors stay, and the next event, or the client's return, brings all behind them.
    """

    def __init__(
        self, scope: Construct, id_: str, *, table: dynamodb.ITable, push: PythonFunction, lost: LostEvents
    ) -> None:
        super().__init__(scope, id_)
        definition = sources.definition("stream")
        if table.table_stream_arn is None:
            raise ValueError("the table has no stream")
        may(push, *READ_STREAM, on=[table.table_stream_arn])
        may(push, *LIST_STREAMS, on=[f"{table.table_arn}/stream/*"], because="to list has no one stream")
        lambda_.EventSourceMapping(
            self,
            "Source",
            target=push,
            event_source_arn=table.table_stream_arn,
            starting_position=lambda_.StartingPosition(definition["StartingPosition"]),
            batch_size=definition["BatchSize"],
            max_batching_window=Duration.seconds(definition["MaximumBatchingWindowInSeconds"]),
            # One, so that the records of a turn come one batch after the other.
            parallelization_factor=definition["ParallelizationFactor"],
            retry_attempts=definition["MaximumRetryAttempts"],
            max_record_age=Duration.seconds(definition["MaximumRecordAgeInSeconds"]),
            bisect_batch_on_error=definition["BisectBatchOnFunctionError"],
            report_batch_item_failures="ReportBatchItemFailures" in definition["FunctionResponseTypes"],
            filters=[
                lambda_.FilterCriteria.filter(json.loads(each["Pattern"]))
                for each in definition["FilterCriteria"]["Filters"]
            ],
            on_failure=event_sources.SqsDlq(lost.queue),
        )
