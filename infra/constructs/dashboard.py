"""One page that shows how the system is."""

from collections.abc import Sequence

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

_PERIOD = Duration.minutes(5)
_WIDTH = 12


class Dashboard(Construct):
    """Our own figures (docs/observability.md) by search, so that a server more is shown without a change here."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        name: str,
        api_id: str,
        machine: sfn.StateMachine,
        alarms: Sequence[cloudwatch.IAlarm],
    ) -> None:
        super().__init__(scope, id_)
        board = cloudwatch.Dashboard(self, "Board", dashboard_name=name, default_interval=Duration.hours(12))
        board.add_widgets(cloudwatch.AlarmStatusWidget(title="To act on", alarms=list(alarms), width=2 * _WIDTH))
        board.add_widgets(
            _found("Turns", "Turns", by="Status", statistic="Sum"),
            _found("Duration of turns (ms, p90)", "TurnDuration", by="Status", statistic="p90"),
        )
        board.add_widgets(
            _found("Tool calls by server and outcome", "ToolCalls", by="Server,Outcome", statistic="Sum"),
            _found("Duration of tool calls (ms, p90)", "ToolCallDuration", by="Server", statistic="p90"),
        )
        board.add_widgets(
            _found("Calls ended by the clock", "ToolTimeouts", by="Server", statistic="Sum"),
            _found("Servers that died", "ToolCrashes", by="Server", statistic="Sum"),
        )
        board.add_widgets(
            _found("Bytes that tools made", "ToolBytesOut", by="Server", statistic="Sum"),
            _found("Tokens that models wrote", "TokensOut", by="Model", statistic="Sum"),
        )
        board.add_widgets(
            _found("Cold starts", "ColdStarts", by="Function", statistic="Sum"),
            _plain("Executions", [_of_machine(machine, name) for name in ("Started", "Failed", "TimedOut")]),
        )
        board.add_widgets(_plain("API", [_of_api(api_id, name) for name in ("Count", "4xx", "5xx")]))


def _found(title: str, metric: str, *, by: str, statistic: str) -> cloudwatch.GraphWidget:
    search = f"SEARCH('{{Satchel,{by}}} MetricName=\"{metric}\"', '{statistic}', {_PERIOD.to_seconds():.0f})"
    expression = cloudwatch.MathExpression(expression=search, using_metrics={}, label="", period=_PERIOD)
    return cloudwatch.GraphWidget(title=title, left=[expression], width=_WIDTH)


def _plain(title: str, metrics: Sequence[cloudwatch.IMetric]) -> cloudwatch.GraphWidget:
    return cloudwatch.GraphWidget(title=title, left=list(metrics), width=_WIDTH, statistic="Sum", period=_PERIOD)


def _of_api(api_id: str, name: str) -> cloudwatch.Metric:
    return cloudwatch.Metric(namespace="AWS/ApiGateway", metric_name=name, dimensions_map={"ApiId": api_id})


def _of_machine(machine: sfn.StateMachine, name: str) -> cloudwatch.Metric:
    return machine.metric(f"Executions{name}")
