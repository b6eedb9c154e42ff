"""The CloudWatch alarms, the CloudWatch dashboard and the functions' log groups."""

from collections.abc import Sequence
from typing import cast

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra.constructs.checks import acknowledge
from infra.constructs.names import account_wide_name

_PERIOD = Duration.minutes(5)
_HOUR = Duration.hours(1)
_MAX_STREAM_DELAY_MILLIS = 60_000
_AT_LEAST = cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD
_BELOW = cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD
_MISSING_DATA_IS_OK = cloudwatch.TreatMissingData.NOT_BREACHING
_MISSING_DATA = cloudwatch.TreatMissingData.MISSING
_WIDGET_WIDTH = 12


def log_group(scope: Construct, id_: str, *, days: int, name: str | None = None) -> logs.LogGroup:
    """Return a log group that keeps log lines for this many days and is deleted together with its stack."""
    group = logs.LogGroup(scope, id_, log_group_name=name, removal_policy=RemovalPolicy.DESTROY)
    # LogGroup's retention property accepts only certain enum members, so set the number on the CloudFormation resource.
    cast("logs.CfnLogGroup", group.node.default_child).retention_in_days = days
    return group


class Alarms(Construct):
    """Alarms for the operator, sent to ``email`` if it is set. Each alarm's description says what to do.

    No alarm covers a single MCP server: its failures concern the tool's author, and the dashboard shows them.
    """

    def __init__(self, scope: Construct, id_: str, *, email: str | None) -> None:
        super().__init__(scope, id_)
        self.alarms: list[cloudwatch.Alarm] = []
        self._topic = self._email_topic(email) if email else None

    def watch_api(self, api_id: str) -> None:
        """Create an alarm for at least five 5xx responses of the HTTP API in five minutes."""
        metric = cloudwatch.Metric(
            namespace="AWS/ApiGateway",
            metric_name="5xx",
            dimensions_map={"ApiId": api_id},
            statistic="Sum",
            period=_PERIOD,
        )
        self._alarm("ApiFails", metric, 5, "The API returns errors. Check the api function's log for ERROR lines.")

    def watch_functions(self, functions: Sequence[lambda_.Function]) -> None:
        """Create one alarm for at least ten failed invocations in five minutes, summed over these functions."""
        errors = {f"e{number}": each.metric_errors(period=_PERIOD) for number, each in enumerate(functions)}
        metric = cloudwatch.MathExpression(expression="SUM(METRICS())", using_metrics=errors, period=_PERIOD)
        text = "The functions of turns fail more often than retries can recover. Check their logs for ERROR lines."
        self._alarm("FunctionsFail", metric, 10, text)

    def watch_turns(self, machine: sfn.StateMachine) -> None:
        """Create an alarm for turns whose state machine execution fails or times out."""
        failed = cloudwatch.MathExpression(
            expression="failed + timedout",
            using_metrics={
                "failed": machine.metric_failed(period=_PERIOD),
                "timedout": machine.metric_timed_out(period=_PERIOD),
            },
            period=_PERIOD,
        )
        self._alarm("TurnsBreakOff", failed, 1, "Turns fail or time out. The execution's history shows where and why.")

    def watch_dead_letters(self, queue: sqs.Queue) -> None:
        """Create an alarm that stays on while the dead-letter queue has messages."""
        metric = queue.metric_approximate_number_of_messages_visible(period=_PERIOD, statistic="Maximum")
        text = "The dead-letter queue has events. Each names the function and the error. Fix it, then send them again."
        self._alarm("EventsLost", metric, 1, text)

    def watch_sweep(self, function: lambda_.Function) -> None:
        """Create an alarm for an hour without a successful sweep, even if none started. Sweeps delete expired data.

        If none started, there is no data. That is not a failure right after the first deployment, so the alarm then has
        the state INSUFFICIENT_DATA, and it notifies only on the change to this state.
        """
        text = "No sweep succeeded for an hour, so expired data is not deleted. Check its schedule rule and its log."
        succeeded = cloudwatch.MathExpression(
            expression="runs - FILL(errors, 0)",
            using_metrics={
                "runs": function.metric_invocations(period=_HOUR, statistic="Sum"),
                "errors": function.metric_errors(period=_HOUR),
            },
            period=_HOUR,
        )
        alarm = self._alarm("SweepStands", succeeded, 1, text, comparison=_BELOW, treat_missing_data=_MISSING_DATA)
        if self._topic:
            alarm.add_insufficient_data_action(actions.SnsAction(self._topic))

    def watch_rotation(self, function: lambda_.Function) -> None:
        """Create an alarm for a failed rotation of the keys that sign download links."""
        text = "Rotation of the link signing keys failed; the old keys stay valid. Check the log, then rotate manually."
        self._alarm("KeysStay", function.metric_errors(period=_HOUR), 1, text)

    def watch_stream(self, push: lambda_.Function) -> None:
        """Create an alarm for events that the push function sends to clients more than a minute late."""
        metric = push.metric("IteratorAge", period=_PERIOD, statistic="Maximum")
        text = "Events are pushed a minute late, so turns seem to hang. Check the push function's log for ERROR lines."
        self._alarm("EventsLate", metric, _MAX_STREAM_DELAY_MILLIS, text)

    def watch_table(self, table: dynamodb.ITable) -> None:
        """Create an alarm for read or write requests to the table that DynamoDB throttles."""
        metrics = {
            "reads": table.metric("ReadThrottleEvents", period=_PERIOD, statistic="Sum"),
            "writes": table.metric("WriteThrottleEvents", period=_PERIOD, statistic="Sum"),
        }
        throttled = cloudwatch.MathExpression(
            expression="FILL(reads, 0) + FILL(writes, 0)", using_metrics=metrics, period=_PERIOD
        )
        text = "DynamoDB throttles requests. Find the hot key (Contributor Insights), or raise the table's quota."
        self._alarm("TableRefuses", throttled, 1, text)

    def watch_concurrency(self) -> None:
        """Create an alarm for throttled invocations in the AWS account, whose functions share one concurrency quota."""
        metric = lambda_.Function.metric_all_throttles(period=_PERIOD, statistic="Sum")
        text = "Lambda throttles functions. Raise the account's quota of concurrent executions in this region."
        self._alarm("NothingToRunOn", metric, 10, text)

    def _email_topic(self, email: str) -> sns.Topic:
        topic = sns.Topic(self, "Topic", enforce_ssl=True)
        topic.add_subscription(subscriptions.EmailSubscription(email))
        acknowledge(topic, Serverless_SNSRedrivePolicy="if an e-mail is not delivered, the alarm itself still shows it")
        return topic

    def _alarm(
        self,
        name: str,
        metric: cloudwatch.IMetric,
        threshold: float,
        text: str,
        *,
        comparison: cloudwatch.ComparisonOperator = _AT_LEAST,
        treat_missing_data: cloudwatch.TreatMissingData = _MISSING_DATA_IS_OK,
    ) -> cloudwatch.Alarm:
        alarm = cloudwatch.Alarm(
            self,
            name,
            metric=metric,
            threshold=threshold,
            evaluation_periods=1,
            comparison_operator=comparison,
            treat_missing_data=treat_missing_data,
            alarm_description=text,
        )
        if self._topic:
            alarm.add_alarm_action(actions.SnsAction(self._topic))
        self.alarms.append(alarm)
        return alarm


class Dashboard(Construct):
    """The CloudWatch dashboard. Its graphs search for Satchel's metrics, so new MCP servers appear automatically."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        api_id: str,
        machine: sfn.StateMachine,
        alarms: Sequence[cloudwatch.IAlarm],
    ) -> None:
        super().__init__(scope, id_)
        board = cloudwatch.Dashboard(
            self, "Board", dashboard_name=account_wide_name(self), default_interval=Duration.hours(12)
        )
        board.add_widgets(cloudwatch.AlarmStatusWidget(title="Alarms", alarms=list(alarms), width=2 * _WIDGET_WIDTH))
        board.add_widgets(
            _search_graph("Turns", "Turns", by="Status", statistic="Sum"),
            _total_graph("Duration of turns (ms, p90)", "TurnDuration", statistic="p90"),
        )
        board.add_widgets(
            _search_graph("Tool calls by server and outcome", "ToolCalls", by="Server,Outcome", statistic="Sum"),
            _search_graph("Duration of tool calls (ms, p90)", "ToolCallDuration", by="Server", statistic="p90"),
        )
        board.add_widgets(
            _total_graph("Bytes of tool output", "ToolBytesOut", statistic="Sum"),
            _search_graph("Output tokens of models", "TokensOut", by="Model", statistic="Sum"),
        )
        board.add_widgets(
            _graph("Executions", [machine.metric(f"Executions{name}") for name in ("Started", "Failed", "TimedOut")]),
            _graph("API", [_api_metric(api_id, name) for name in ("Count", "4xx", "5xx")]),
        )


def _search_graph(title: str, metric: str, *, by: str, statistic: str) -> cloudwatch.GraphWidget:
    search = f"SEARCH('{{Satchel,{by}}} MetricName=\"{metric}\"', '{statistic}', {_PERIOD.to_seconds():.0f})"
    expression = cloudwatch.MathExpression(expression=search, using_metrics={}, label="", period=_PERIOD)
    return cloudwatch.GraphWidget(title=title, left=[expression], width=_WIDGET_WIDTH)


def _total_graph(title: str, metric: str, *, statistic: str) -> cloudwatch.GraphWidget:
    total = cloudwatch.Metric(namespace="Satchel", metric_name=metric, statistic=statistic, period=_PERIOD)
    return cloudwatch.GraphWidget(title=title, left=[total], width=_WIDGET_WIDTH)


def _graph(title: str, metrics: Sequence[cloudwatch.IMetric]) -> cloudwatch.GraphWidget:
    return cloudwatch.GraphWidget(title=title, left=list(metrics), width=_WIDGET_WIDTH, statistic="Sum", period=_PERIOD)


def _api_metric(api_id: str, name: str) -> cloudwatch.Metric:
    return cloudwatch.Metric(namespace="AWS/ApiGateway", metric_name=name, dimensions_map={"ApiId": api_id})
